/// Mistakes in the sections of who is told, of releases and of what is kept.
extension TrendSectionsTests {
  static let notifiers = [
    Mistake(
      "notify: [{webhook: example.org}]",
      20,
      "\"example.org\" is neither a URL nor a variable",
      "write a URL that begins with https://, or a variable such as $WEBHOOK"
    ),
    Mistake(
      "notify: [{webhook: 'https://example.org/$'}]",
      20,
      "\"https://example.org/$\" is neither a URL nor a variable",
      "write a URL that begins with https://, or a variable such as $WEBHOOK"
    ),
    Mistake(
      "notify: [{email: 'a@b.c, d@e.f'}]",
      18,
      "\"a@b.c, d@e.f\" is not an address",
      "write one address such as dev@example.org"
    ),
    Mistake(
      "notify: [{email: -t@b.c}]",
      18,
      "\"-t@b.c\" is not an address",
      "write one address such as dev@example.org"
    ),
    Mistake(
      "notify: [{github: sumary}]",
      19,
      "invalid value \"sumary\"",
      "write `summary`"
    ),
    Mistake(
      "notify: [{command: [a], email: a@b.c}]",
      25,
      "an element of \"notify\" has 2 keys instead of one",
      "keep one of: command, webhook, email, github"
    ),
    Mistake(
      "notify: [{slack: x}]",
      11,
      "unknown key \"slack\"",
      "use one of: command, webhook, email, github"
    ),
    Mistake(
      "notify: [{email: a@b.c}, {email: a@b.c}]",
      26,
      "the notifier is given twice",
      "keep one of them"
    ),
  ]

  static let others = [
    Mistake(
      "releases: {v1: 2026-02-29}",
      16,
      "there is no day \"2026-02-29\"",
      "write year, month and day, such as 2026-10-01"
    ),
    Mistake(
      "releases: {v1: yesterday}",
      16,
      "\"yesterday\" is neither a date nor the id of a run nor a commit",
      "write a date such as 2026-10-01, or copy an id from `launchlab history`"
    ),
    Mistake(
      "artifacts: 2",
      12,
      "\"2\" is a size without a unit",
      "write the unit, such as 2MiB"
    ),
    Mistake(
      "artifacts: 99999999GiB",
      12,
      "the size \"99999999GiB\" is larger than a pebibyte",
      "use fewer bytes"
    ),
  ]
}
