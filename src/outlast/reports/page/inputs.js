"use strict";
// What moves a parameter: a slider, a field, a list of values. They are made here, since without the script they would do nothing.
(function (outlast) {
  /** Put inputs into the card of a parameter; the parts of the card that change, by name. */
  outlast.withInputs = function (card, control, number) {
    const [heading, head, bar, remark] = ["h3 code", ".head", ".bar", ".remark"].map((each) => card.querySelector(each));
    [heading.id, remark.id, card.dataset.parameter] = [`name-${number}`, `remark-${number}`, control.name];
    const labelled = { "aria-labelledby": heading.id };
    give(card, { role: "group", ...labelled });
    const parts = { card, remark, against: card.querySelector(".value .faint"), shown: card.querySelector(".bar .shown") };
    if (control.scale !== null) {
      parts.field = make("input", { type: "text", ...labelled, "aria-describedby": remark.id, autocomplete: "off", spellcheck: "false", size: 9 });
      parts.slider = make("input", { type: "range", class: "inputs", min: 0, max: control.scale.last, step: 1, value: 0, autocomplete: "off", ...labelled });
      bar.after(parts.slider);
    }
    if (control.choices.length) parts.choice = choiceOf(control, labelled);
    for (const name of ["field", "slider", "choice"]) if (parts[name]) parts[name].dataset.part = name;
    const inputs = make("div", { class: "inputs" });
    inputs.append(...[parts.field, parts.choice].filter(Boolean));
    head.prepend(inputs);
    return parts;
  };

  function choiceOf(control, labelled) {
    const select = make("select", { autocomplete: "off", ...labelled });
    select.add(new Option(control.scale === null ? "no value" : "a number", ""));
    control.choices.forEach((choice, index) => select.add(new Option(outlast.valueText(choice, control.kind), index)));
    return select;
  }

  function make(name, attributes) {
    return give(document.createElement(name), attributes);
  }

  function give(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }
})(globalThis.outlast ??= {});
