extension DashboardHTML {
  /// Which points of a series are drawn, and in which range of values.
  static let scriptOfPoints = #"""
    // The index of the first point at or after a slot.
    function firstPoint(series, slot) {
      let low = 0;
      let high = series.at.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (series.at[middle] < slot) low = middle + 1; else high = middle;
      }
      return low;
    }

    const low = (series, index) =>
      series.below[index] < 0 ? null : series.median[index] - series.below[index];
    const high = (series, index) =>
      series.above[index] < 0 ? null : series.median[index] + series.above[index];

    // Where there are more points than columns of the screen, the first, the last, the lowest and the
    // highest of each column stay, with the widest interval: no extreme is lost.
    function keptPoints(series, from, to, columns) {
      const first = firstPoint(series, from);
      const column = index => Math.floor((series.at[index] - from) * columns / (to - from));
      const kept = [];
      for (let index = first; index < series.at.length;) {
        let end = index + 1;
        while (end < series.at.length && column(end) === column(index)) end += 1;
        kept.push(...extremes(series, index, end));
        index = end;
      }
      return kept;
    }

    function extremes(series, from, to) {
      let least = from;
      let most = from;
      let bottom = null;
      let top = null;
      for (let index = from; index < to; index += 1) {
        if (series.median[index] < series.median[least]) least = index;
        if (series.median[index] > series.median[most]) most = index;
        const below = low(series, index);
        const above = high(series, index);
        if (below != null && (bottom == null || below < bottom)) bottom = below;
        if (above != null && (top == null || above > top)) top = above;
      }
      const indices = [...new Set([from, Math.min(least, most), Math.max(least, most), to - 1])];
      return indices.map(index => ({ index, slot: series.at[index], bottom, top }));
    }

    // The range of the axis: every median, and intervals as far as they do not dwarf the medians.
    function valueRange(series, points) {
      let least = Infinity;
      let most = -Infinity;
      for (const point of points) {
        least = Math.min(least, series.median[point.index]);
        most = Math.max(most, series.median[point.index]);
      }
      const slack = Math.max((most - least) / 2, Math.abs(most) * 0.005, 1e-9);
      let bottom = least - slack / 4;
      let top = most + slack / 4;
      for (const point of points) {
        if (point.bottom != null) bottom = Math.min(bottom, Math.max(point.bottom, least - slack));
        if (point.top != null) top = Math.max(top, Math.min(point.top, most + slack));
      }
      return [bottom, top];
    }

    // Round numbers, about as many as asked for.
    function ticks(bottom, top, count) {
      const rough = (top - bottom) / count;
      const power = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough);
      const values = [];
      for (let value = Math.ceil(bottom / step) * step; value <= top; value += step) {
        values.push(value);
      }
      return values;
    }
    """#
}
