extension DashboardHTML {
  /// The same as tables: all series of tonight, and the nights of one series.
  static let scriptOfTables = #"""
    // Columns have a title and whether they hold numbers.
    function tableOf(caption, columns, lines) {
      const cell = (name, text, column) =>
        html(name, column.kind ? { class: column.kind } : {}, text);
      const head = columns.map(column => {
        const title = cell("th", column.title, column);
        title.scope = "col";
        return title;
      });
      return html("table", {}, html("caption", {}, caption), html("thead", {}, html("tr", {}, ...head)),
        html("tbody", {}, ...lines.map(line =>
          html("tr", {}, ...line.map((text, index) => cell("td", text, columns[index]))))));
    }

    const column = title => ({ title });
    const numbers = title => ({ title, kind: "number" });

    function seriesTable(shown) {
      const columns = [
        column("Target"), column("State"), column("Metric"), column("Verdict"), column("Alert"),
        numbers("Median"), numbers("95 % interval"), numbers("n"), numbers("To baseline"),
        numbers("1 night"), numbers("7 nights"), numbers("30 nights"), column("Noise"),
      ];
      const lines = shown.map(series => {
        const newest = series.at.length - 1;
        const { median, interval, n } =
          newest < 0 ? { median: "–", interval: "–", n: "–" } : valueText(series, newest);
        const open = series.alerts.filter(alert =>
          ["suspected", "confirmed", "acknowledged"].includes(alert.state));
        return [
          series.target, series.state, words(series.metric), verdict(series),
          open.map(alert => `${alert.id} ${alert.state}`).join(", "), median, interval,
          n.replace("n ", ""), percent(series.ratio), percent(series.over1),
          percent(series.over7), percent(series.over30), series.noise,
        ];
      });
      return tableOf("The newest value of each series", columns, lines);
    }

    // Made when it is opened, the newest night first.
    function fillNights(card) {
      if (!card.table.open) return card.body.replaceChildren();
      const { series } = card;
      const columns = [
        column("Night"), numbers("Median"), numbers("95 % interval"), numbers("n"),
        { title: "Notes", kind: "wide" }, column("Run"), column("Commit"),
      ];
      const marked = Map.groupBy(marksOf(series), mark => mark.index);
      const lines = [];
      for (let slot = slots.time.length - 1; slot >= firstSlot(); slot -= 1) {
        const index = pointAt(series, slot);
        const values = index < 0 ? null : valueText(series, index);
        const notes = (marked.get(index) || []).map(mark => mark.text);
        const build = slots.builds[slots.build[slot]];
        lines.push([
          minute(slot), values ? values.median : "no value", values ? values.interval : "",
          values ? String(series.n[index]) : "", [problems.get(slot), ...notes].filter(Boolean).join(", "),
          slots.run[slot] || "", build ? build.commit : "",
        ]);
      }
      card.body.replaceChildren(tableOf("Nights, the newest first", columns, lines));
    }
    """#
}
