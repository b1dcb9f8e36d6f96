extension DashboardHTML {
  /// What filters and zooms; the script fills the lists.
  static let controls = """
    <form id="controls" aria-label="what is shown">
    <label>Target <select name="target"><option value="">all</option></select></label>
    <label>State <select name="state"><option value="">all</option></select></label>
    <label>Metric <select name="metric"><option value="">all</option></select></label>
    <label class="check"><input type="checkbox" name="changed"> Changed only</label>
    <label>Nights <select name="range"><option>30</option><option selected>90</option>\
    <option>365</option><option>all</option></select></label>
    <label>View <select name="show"><option>charts</option><option>table</option></select></label>
    <label>Theme <select name="theme"><option value="">system</option><option>light</option>\
    <option>dark</option></select></label>
    <output id="count"></output>
    </form>
    """

  /// What the lines and signs of a chart mean.
  static let legend = """
    <footer>
    <ul class="legend" aria-label="legend">
    <li><svg class="key"><path class="line" d="M0 7H32"/></svg> median of a night</li>
    <li><svg class="key"><rect class="band" width="32" height="14"/></svg> its 95 % interval</li>
    <li><svg class="key"><path class="level" d="M0 7H32"/></svg> level</li>
    <li><svg class="key"><path class="change worse" d="M16 0V14"/></svg> ▲ level went up</li>
    <li><svg class="key"><path class="change better" d="M16 0V14"/></svg> ▼ level went down</li>
    <li><svg class="key"><path class="break" d="M16 0V14"/></svg> ◆ break: not compared across it</li>
    <li><svg class="key"><path class="miss" d="M12 3l8 8m0-8l-8 8"/></svg> night without a value</li>
    </ul>
    <p>Point at a chart, or move to it with Tab and use the arrow keys, Home and End, to read a \
    night. The address keeps what is chosen, so it can be sent to others.</p>
    </footer>
    """
}
