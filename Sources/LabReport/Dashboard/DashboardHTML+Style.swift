extension DashboardHTML {
  /// Colours keep a contrast of at least 4.5 for text and 3 for lines, in light and in dark.
  static let style = #"""
    :root {
      color-scheme: light dark;
      --page: light-dark(#f6f7f9, #14171b);
      --card: light-dark(#ffffff, #1d2126);
      --ink: light-dark(#1b1f24, #e8eaed);
      --dim: light-dark(#565e69, #a3acb8);
      --rule: light-dark(#d5dae1, #39404a);
      --line: light-dark(#1d5fbf, #6ea8fe);
      --band: light-dark(#1d5fbf2e, #6ea8fe33);
      --level: light-dark(#1b1f24, #e8eaed);
      --bad: light-dark(#b3261e, #ff8a80);
      --good: light-dark(#1a6e2e, #7ccf8d);
      --doubt: light-dark(#8a5300, #ffc266);
      --break: light-dark(#6b3fb5, #c0a3ff);
      font: 15px/1.45 system-ui, sans-serif;
    }
    :root[data-theme="light"] { color-scheme: light; }
    :root[data-theme="dark"] { color-scheme: dark; }
    * { box-sizing: border-box; }
    body { margin: 0 auto; padding: 1rem; max-width: 110rem; background: var(--page);
      color: var(--ink); overflow-wrap: anywhere; }
    h1 { margin: 0; font-size: 1.5rem; }
    h1 small { color: var(--dim); font-weight: normal; font-size: 1rem; }
    h2 { margin: 1rem 0 .3rem; font-size: 1.1rem; }
    h3 { margin: 0; font-size: 1rem; }
    a { color: var(--line); }
    ul { margin: 0; padding-left: 1.2rem; }
    code { color: var(--dim); font-size: .9em; white-space: nowrap; }
    .facts, .count, footer, #count { color: var(--dim); }
    .verdict { margin: .4rem 0; padding: .4rem .8rem; border-left: .4rem solid; font-size: 1.2rem;
      font-weight: 600; background: var(--card); }
    .bad { color: var(--bad); }
    .good { color: var(--good); }
    .doubt { color: var(--doubt); }
    .alerts li { margin: .2rem 0; }
    .problem, #error { padding: .5rem; border: 2px solid var(--bad); color: var(--bad); }
    #controls { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap;
      gap: .4rem 1rem; align-items: center; margin: 1rem 0; padding: .5rem 0;
      background: var(--page); border-bottom: 1px solid var(--rule); }
    select, input, summary { font: inherit; color: inherit; }
    select { padding: .15rem .3rem; border: 1px solid var(--dim); border-radius: 4px;
      background: var(--card); max-width: 12rem; }
    :focus-visible { outline: 3px solid var(--line); outline-offset: 2px; }
    #cards { display: grid; gap: 1rem;
      grid-template-columns: repeat(auto-fill, minmax(min(100%, 34rem), 1fr)); }
    [hidden] { display: none !important; }
    .card { padding: .7rem .9rem; border: 1px solid var(--rule); border-radius: 8px;
      background: var(--card); min-width: 0; }
    .card > header { display: flex; gap: 1rem; justify-content: space-between;
      align-items: baseline; }
    .card > header span { white-space: nowrap; }
    .card .now { margin: 0; color: var(--dim); font-variant-numeric: tabular-nums; }
    .plot { height: 220px; touch-action: pan-y; cursor: crosshair; }
    .plot svg { display: block; width: 100%; height: 220px; overflow: visible; }
    .readout { display: block; min-height: 2.8em; font-size: .87rem; color: var(--dim); }
    .readout b { color: var(--ink); }
    details { font-size: .87rem; }
    .scroll { overflow: auto; max-height: 30rem; }
    table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; }
    #table { overflow-x: auto; }
    th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--rule); text-align: left;
      white-space: nowrap; }
    th, caption { color: var(--dim); }
    caption { padding: .2rem .6rem; text-align: left; }
    .number { text-align: right; }
    .wide { white-space: normal; min-width: 12rem; }
    svg text { fill: var(--dim); font-size: 12px; }
    .grid { stroke: var(--rule); }
    .line { fill: none; stroke: var(--line); stroke-width: 1.6; stroke-linejoin: round;
      stroke-linecap: round; }
    .line.thin { stroke-width: .9; }
    .dot { fill: var(--line); }
    .band { fill: var(--band); stroke: none; }
    .level { fill: none; stroke: var(--level); stroke-width: 2.2; opacity: .75; }
    .change { stroke-width: 2; }
    .change.worse { stroke: var(--bad); }
    .change.better { stroke: var(--good); }
    svg text.worse { fill: var(--bad); font-weight: 600; }
    svg text.better { fill: var(--good); font-weight: 600; }
    svg text.break { fill: var(--break); stroke: none; }
    path.break { stroke: var(--break); stroke-width: 2; stroke-dasharray: 4 3; }
    .miss { fill: none; stroke: var(--dim); stroke-width: 1.5; }
    .miss.thin { stroke-width: .7; }
    .cursor { stroke: var(--ink); stroke-dasharray: 2 2; }
    .cursor-dot { fill: var(--card); stroke: var(--ink); stroke-width: 2; }
    .legend { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; margin-top: 1rem; padding: 0;
      list-style: none; }
    .key { width: 32px; height: 14px; vertical-align: middle; }
    .outside { fill: var(--doubt); }
    .control { fill: none; stroke: var(--dim); stroke-width: 1.2; stroke-dasharray: 5 3; opacity: .7; }
    h3 a { color: inherit; text-decoration: none; }
    h3 a:hover { text-decoration: underline; }
    .answer { margin: .4rem 0; }
    .quiet { padding: 0; list-style: none; display: grid; gap: 0 1.5rem;
      grid-template-columns: repeat(auto-fill, minmax(min(100%, 34rem), 1fr)); }
    .quiet li { display: grid; grid-template-columns: 1fr 160px 10rem; gap: .8rem; align-items: center;
      padding: .2rem 0; border-bottom: 1px solid var(--rule); font-size: .87rem; }
    .quiet .now { color: var(--dim); text-align: right; font-variant-numeric: tabular-nums; }
    .spark { width: 160px; height: 26px; }
    @media (max-width: 40rem) {
      body { padding: .6rem; }
      #controls { position: static; gap: .3rem .7rem; font-size: .87rem; }
      .quiet li { grid-template-columns: 1fr 90px; }
      .quiet .spark { width: 90px; }
      .quiet .now { grid-column: 1 / -1; text-align: left; }
    }
    @media print {
      :root { color-scheme: light; font-size: 11px; }
      body { padding: 0; background: none; }
      #controls, details:not([open]) { display: none; }
      #cards { grid-template-columns: 1fr 1fr; }
      .card { break-inside: avoid; }
    }
    @media print { :root[data-theme] { color-scheme: light; } }
    """#
}
