extension DashboardHTML {
  /// What is shown: the controls and the address say the same.
  static let scriptOfView = #"""
    const controls = byId("controls");
    const defaults = {
      target: "", state: "", metric: "", changed: "", range: "90", show: "charts", theme: "",
      night: "",
    };
    let view = { ...defaults };

    function offer(name) {
      const values = new Set(data.series.map(series => series[name]));
      for (const value of values) {
        controls[name].append(html("option", { value }, name === "metric" ? words(value) : value));
      }
    }

    // The address wins over what was chosen before; a value that no list has is left out.
    function readAddress() {
      const asked = new URLSearchParams(location.hash.slice(1));
      view = { ...defaults };
      for (const name of Object.keys(defaults)) {
        const value = asked.get(name);
        if (value == null) continue;
        const list = controls[name];
        const isOffered = !list || !list.options
          || [...list.options].some(option => option.value === value);
        if (isOffered) view[name] = value;
      }
      for (const name of ["target", "state", "metric", "range", "show", "theme"]) {
        controls[name].value = view[name];
      }
      controls.changed.checked = view.changed === "1";
    }

    function readControls() {
      for (const name of ["target", "state", "metric", "range", "show", "theme"]) {
        view[name] = controls[name].value;
      }
      view.changed = controls.changed.checked ? "1" : "";
      writeAddress();
    }

    function writeAddress() {
      const chosen = Object.entries(view).filter(([name, value]) => value !== defaults[name]);
      history.replaceState(null, "", "#" + new URLSearchParams(chosen));
    }

    // The first night that is shown.
    function firstSlot() {
      return view.range === "all" ? 0 : Math.max(0, slots.time.length - Number(view.range));
    }

    function isChanged(series) {
      if (!["quiet", "new", "missing"].includes(series.outcome)) return true;
      return series.changes.some(change => series.at[change.index] >= firstSlot());
    }

    function isShown(series) {
      return ["target", "state", "metric"].every(
        name => view[name] === "" || view[name] === series[name]
      ) && (view.changed !== "1" || isChanged(series));
    }
    """#
}
