extension DashboardHTML {
  /// Draws what is in sight, again whenever something else is chosen.
  static let scriptOfStart = #"""
    const cards = data.series.map(makeCard);
    byId("cards").append(...cards.map(card => card.element));

    function draw(card) {
      if (!card.isStale) return;
      card.isStale = false;
      drawChart(card);
      rest(card);
    }

    // What is in sight now is drawn at once, without waiting for the next frame.
    const reach = 400;
    const isInSight = card =>
      card.element.getBoundingClientRect().top < window.innerHeight + reach;

    // A chart that nobody sees is not drawn until it is scrolled to.
    const observer = new IntersectionObserver(entries => {
      for (const entry of entries) if (entry.isIntersecting) draw(entry.target.card);
    }, { rootMargin: `${reach}px` });

    function refresh() {
      if (view.theme === "") delete root.dataset.theme; else root.dataset.theme = view.theme;
      observer.disconnect();
      const isTable = view.show === "table";
      const shown = cards.filter(card => isShown(card.series));
      for (const card of cards) card.element.hidden = true;
      for (const card of shown) {
        card.element.hidden = false;
        card.isStale = true;
        observer.observe(card.element);
        fillNights(card);
      }
      byId("cards").hidden = isTable;
      byId("table").hidden = !isTable;
      if (!isTable) shown.filter(isInSight).forEach(draw);
      byId("table").replaceChildren(
        ...isTable ? [seriesTable(shown.map(card => card.series))] : []);
      const nights = slots.time.length;
      byId("count").textContent = `${shown.length} of ${cards.length} series, `
        + `${nights - firstSlot()} of ${nights} nights`;
    }

    function drawAll() {
      for (const card of cards) if (!card.element.hidden) draw(card);
    }

    for (const name of ["target", "state", "metric"]) offer(name);
    controls.addEventListener("change", () => { readControls(); refresh(); });
    controls.addEventListener("submit", event => event.preventDefault());
    window.addEventListener("hashchange", () => { readAddress(); refresh(); });
    window.addEventListener("beforeprint", drawAll);
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth === width) return;
      width = window.innerWidth;
      refresh();
    });
    readAddress();
    refresh();
    root.dataset.ready = "yes";
    """#
}
