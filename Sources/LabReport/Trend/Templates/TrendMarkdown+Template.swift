extension TrendMarkdown {
  /// The template of reports, to begin one's own with.
  ///
  /// A name that has no value is left out; a section of such a name, too.
  package static let defaultTemplate = """
    # {{title}}
    - **What:** {{what}}
    - **Since:** {{since}}
    - **Code or machine:** {{cause}}
    - **Next:** {{next}}

    {{facts}}

    {{#alerts}}
    ## Alerts

    {{alerts}}

    {{/alerts}}
    {{#budgets}}
    ## Budgets

    {{budgets}}

    {{/budgets}}
    ## Trend

    {{#trend}}
    {{trend}}

    {{/trend}}
    {{#unchangedTitle}}
    <details>
    <summary>{{unchangedTitle}}</summary>

    {{unchanged}}

    </details>

    {{/unchangedTitle}}
    {{#findings}}
    <a id="{{anchor}}"></a>

    ## {{symbol}} {{id}}: {{title}}, {{series}} {{change}}

    {{#picture}}
    {{picture}}

    {{/picture}}
    - **What:** {{what}}
    - **Since:** {{since}}
    - **Code or machine:** {{cause}}

    {{#quantiles}}
    {{quantiles}}

    {{/quantiles}}
    {{#stages}}
    Where the time went, tonight against the last good night:

    {{stages}}

    {{/stages}}
    {{#criteria}}
    <details>
    <summary>What decided it</summary>

    {{criteria}}

    </details>

    {{/criteria}}
    {{#events}}
    What happened so far:

    {{events}}

    {{/events}}
    {{#similar}}
    Similar alerts that ended:

    {{similar}}

    {{/similar}}
    Commands:

    {{commands}}

    {{/findings}}
    ## Machine

    {{machine}}

    {{#receipts}}
    <details>
    <summary>Controls of tonight</summary>

    {{receipts}}

    </details>

    {{/receipts}}
    ## Slow drift

    {{#drift}}
    {{drift}}

    {{/drift}}
    {{^drift}}
    No series drifted beyond known changes.

    {{/drift}}
    ## Since the last report

    {{#changes}}
    {{changes}}

    {{/changes}}
    {{^changes}}
    No alert changed tonight.

    {{/changes}}
    {{#stillOpen}}
    Still open:

    {{stillOpen}}

    {{/stillOpen}}
    {{#missed}}
    Nights without a result:

    {{missed}}

    {{/missed}}
    ## Method

    {{method}}

    {{hidden}}

    """
}
