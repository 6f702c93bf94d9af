"use strict";
// The page's controls: whatever is moved, every rule is judged again, and what has changed is written and drawn anew.
(function (outlast) {
  const NARROWEST = 320;
  const WIDEST = 960;
  const MOST_NAMED = 3;
  const BAD = new Set(["BROKEN", "margin missed"]);
  const element = document.getElementById("data");
  if (element === null) return;

  const data = outlast.unpacked(JSON.parse(element.textContent));
  const cards = [...document.querySelectorAll(".parameter")];
  const controls = new Map(data.controls.map((control, number) => [control.name, revived(control, cards[number], number)]));
  const written = Object.create(null); // names may be __proto__
  const rows = new Map([...document.querySelectorAll("[data-rule]")].map((row) => [row.dataset.rule, rowOf(row)]));
  const derived = data.parameters.filter((parameter) => parameter.poly !== null);
  const places = placesOfValues();
  const table = document.querySelector("table.rules");
  const pictures = [...document.querySelectorAll(".timeline")];
  const stale = new Set();
  const odd = new Map();
  let [now, announcing, redrawing, isOpening] = [null, 0, 0, true];

  // Values

  /** The row of a rule, with the parts of it that change. */
  function rowOf(row) {
    const [state, , sides, room, share] = row.cells;
    const [left, right] = sides.children;
    const [meter, words] = room.children;
    return { whole: row, parts: { state, left, sign: left.nextSibling, right, meter, words, share }, seen: null };
  }

  /** By name, where the page tells a parameter's value. */
  function placesOfValues() {
    const found = new Map();
    for (const place of document.querySelectorAll("[data-value]")) {
      const name = place.dataset.value;
      found.set(name, [...(found.get(name) ?? []), place]);
    }
    return found;
  }

  /** A control with numbers instead of texts, and with what moves it in its card. */
  function revived(told, card, number) {
    const step = outlast.read(told.step);
    const control = {
      ...told,
      step,
      scale: told.scale === null ? null : outlast.scale(step, told.scale),
      ends: told.ends.map(outlast.read),
      choices: told.choices.map(outlast.read),
      in_use: outlast.read(told.in_use),
      recommended: outlast.read(told.recommended),
    };
    return { ...control, parts: outlast.withInputs(card, control, number), seen: null };
  }

  /** What a control shows before anybody moves it. */
  function opening({ in_use, recommended }) {
    return data.opens === "recommended" ? recommended ?? in_use : in_use;
  }

  /** A value of a parameter or of what moves it. */
  function textOf({ kind }, value) {
    return value === undefined || value === null ? "no value" : outlast.valueText(value, kind);
  }

  /** Take one value over. */
  function set(control, value) {
    if (value === null) delete written[control.name];
    else written[control.name] = value;
  }

  /** Show other values: by name what a spec would write, such as `5.5s`. By name what is wrong with those that were not taken. */
  outlast.show = function (texts) {
    const refused = Object.create(null);
    for (const [name, text] of Object.entries(texts)) {
      const found = controls.has(name) ? outlast.parseFor(controls.get(name), text) : { error: "nothing here moves it" };
      if (found.error === undefined) set(controls.get(name), found.value);
      else refused[name] = found.error;
    }
    refresh();
    return refused;
  };

  // What is shown

  function refresh() {
    now = outlast.judgedAt(data, written);
    const states = [];
    for (const { id } of data.rules) {
      const told = now.rules[id];
      const state = outlast.stateOf(told);
      const row = rows.get(id);
      if (!("bound" in row.whole.dataset) || BAD.has(state)) states.push([id, state]);
      const seen = Object.values(told).join("\n");
      if (row.seen !== seen) showRule(row, told, state, now.verdicts.get(id));
      row.seen = seen;
    }
    for (const control of controls.values()) {
      if (control.seen !== written[control.name]) showControl(control);
      control.seen = written[control.name];
    }
    for (const parameter of derived) showValue(parameter.name, textOf(parameter, now.derived[parameter.name]));
    showStanding(states);
    showPresets();
    outlast.markPath(data, now.world);
    for (const picture of pictures) {
      stale.add(picture);
      showIdle(picture);
    }
    redrawSoon();
  }

  function write(place, text) {
    if (place !== null && place.textContent !== text) place.textContent = text;
  }

  function mark(place, name, value) {
    if (place.getAttribute(name) !== value) place.setAttribute(name, value);
  }

  function part(inside, name) {
    return inside.querySelector(`[data-part="${name}"]`);
  }

  function showRule({ whole, parts }, told, state, verdict) {
    const plain = (value) => (value === null || told.missing !== null ? "" : `${value}`);
    for (const key of ["holds", "applies", "left", "sign", "right", "slack", "headroom", "score", "margin_kept"]) {
      mark(whole, `data-${key.replace("_", "-")}`, plain(told[key]));
    }
    mark(whole, "data-state", state.toLowerCase().replaceAll(" ", "-"));
    write(parts.state, state);
    write(parts.left, plain(told.left));
    write(parts.sign, ` ${plain(told.sign)} `);
    write(parts.right, plain(told.right));
    const judged = verdict === undefined ? null : outlast.decisiveOf(verdict);
    write(parts.words, outlast.roomWords(told, judged));
    const score = verdict === undefined ? null : verdict.score;
    write(parts.share, score === null ? "" : outlast.percentText(score));
    const share = filled(state, judged, score);
    mark(parts.meter.firstChild, "width", `${share ?? 0}%`);
    parts.meter.toggleAttribute("hidden", share === null);
  }

  /** How much of a rule's bar is filled, in percent; null: it has no bar. */
  function filled(state, judged, score) {
    const whole = (share) => Number(outlast.floor(outlast.times(share, outlast.fraction(100n))));
    if (judged === null) return null;
    if (state !== "BROKEN") return score === null ? null : whole(score);
    const headroom = judged.comparison.orders ? outlast.headroomOf(judged) : null;
    return outlast.isNumber(headroom) ? Math.min(100, Math.max(2, whole(outlast.negated(headroom)))) : 100;
  }

  function showControl(control) {
    const value = written[control.name];
    const text = textOf(control, value);
    const { slider, field, choice, shown, against } = control.parts;
    showValue(control.name, text);
    if (slider !== undefined) showSlider(control, value, text, slider, shown);
    if (field !== undefined && document.activeElement !== field) {
      field.value = value === undefined ? "" : text;
      tell(control, "");
    }
    remark(control, value);
    if (choice !== undefined) choice.value = String(control.choices.findIndex((each) => outlast.isSame(each, value))).replace("-1", "");
    write(against, againstText(control, value));
  }

  function showSlider(control, value, text, slider, line) {
    const isNumber = outlast.isNumber(value);
    mark(slider, "aria-valuetext", text);
    line.toggleAttribute("hidden", !isNumber);
    if (!isNumber) return;
    slider.value = String(outlast.positionOf(control.scale, value));
    mark(line, "x", percent(outlast.shareOf(control.scale, value)));
  }

  function percent(share) {
    return `${Math.floor(share / 100)}.${String(share % 100).padStart(2, "0")}%`;
  }

  function againstText(control, value) {
    if (value === undefined) return "";
    const [isUsed, isBest] = [outlast.isSame(value, control.in_use), outlast.isSame(value, control.recommended)];
    if (isUsed) return isBest ? "in use and recommended" : "in use";
    return isBest ? "recommended" : control.in_use === null ? "" : `in use ${textOf(control, control.in_use)}`;
  }

  /** Say what is odd about a value that is judged nevertheless. */
  function remark(control, value) {
    const found = outlast.oddOf(control, value);
    if (found === null) odd.delete(control.name);
    else odd.set(control.name, found);
    mark(control.parts.card, "data-odd", String(found !== null));
    if (!control.parts.field?.hasAttribute("aria-invalid")) write(control.parts.remark, found?.words ?? "");
  }

  /** Show what is wrong with what was typed; nothing: it is fine. */
  function tell(control, error) {
    const { remark, field } = control.parts;
    const still = written[control.name] === undefined ? "there is still no value" : `${textOf(control, written[control.name])} still counts`;
    write(remark, error && `${error}; ${still}`);
    if (error) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }

  function showValue(name, text) {
    for (const place of places.get(name) ?? []) write(place, text);
  }

  function showStanding(states) {
    const rules = outlast.standing(states.map(([, state]) => state));
    const words = [rules, outlast.oddWords([...odd.values()]).join(" and ")].filter(Boolean).join("; ");
    const broken = states.filter(([, state]) => BAD.has(state)).map(([id]) => [id, rows.get(id).whole]);
    const strange = [...controls.values()].filter(({ name }) => odd.has(name)).map(({ name, parts }) => [name, parts.card]);
    const bad = [...broken, ...strange];
    const names = bad.map(([name]) => name);
    const status = document.querySelector(".status");
    mark(part(status, "status"), "data-state", bad.length ? "broken" : "holds");
    if (part(status, "standing").textContent !== words || part(status, "which").dataset.ids !== JSON.stringify(names)) {
      write(part(status, "standing"), words);
      part(status, "which").dataset.ids = JSON.stringify(names);
      showWhich(part(status, "which"), bad);
      announce(bad.length ? `${words}: ${namesTold(names)}` : words);
    }
  }

  function namesTold(names) {
    const rest = names.length - MOST_NAMED;
    return names.slice(0, MOST_NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  }

  /** Links to the first rules that are broken, and to values that are odd. */
  function showWhich(place, bad) {
    place.replaceChildren(...bad.slice(0, MOST_NAMED).map(linkTo));
    if (bad.length > MOST_NAMED) place.append(` and ${bad.length - MOST_NAMED} more`);
  }

  function linkTo([name, { id }]) {
    const link = document.createElement("a");
    link.href = `#${id}`;
    link.textContent = name;
    return link;
  }

  /** Tell a screen reader, once nothing has moved for a moment. */
  function announce(words) {
    clearTimeout(announcing);
    if (!isOpening) announcing = setTimeout(() => write(part(document, "live"), words), 500);
  }

  function showPresets() {
    const all = [...controls.values()];
    const same = {};
    for (const button of document.querySelectorAll("[data-set]")) {
      const key = button.dataset.set;
      const sets = all.filter((control) => control[key] !== null);
      const differ = sets.filter((control) => !outlast.isSame(written[control.name], control[key])).length;
      same[key] = sets.length > 0 && differ === 0;
      write(part(button, "differ"), differ ? ` (${differ} ${differ === 1 ? "differs" : "differ"})` : "");
    }
    // Where a value in use is not known, any other is not the one in use.
    same.in_use &&= all.every((control) => outlast.isSame(written[control.name], control.in_use));
    write(part(document, "whose"), whoseWords(same));
  }

  function whoseWords(same) {
    if (!controls.size) return "";
    if (!Object.keys(written).length) return "showing no values";
    if (same.in_use) return same.recommended ? "showing values in use, as recommended" : "showing values in use";
    return same.recommended ? "showing recommended values" : "showing changed values";
  }

  // Pictures

  function redrawSoon() {
    document.documentElement.dataset.drawn = "no";
    cancelAnimationFrame(redrawing);
    redrawing = requestAnimationFrame(redrawSeen);
  }

  /** Those in sight first; the others once there is time. */
  function redrawSeen() {
    for (const picture of [...stale].filter(isSeen)) redraw(picture);
    redrawing = requestAnimationFrame(redrawNext);
  }

  function redrawNext() {
    const until = performance.now() + 8;
    for (const picture of stale) {
      redraw(picture);
      if (performance.now() > until) break;
    }
    redrawing = stale.size ? requestAnimationFrame(redrawNext) : 0;
    if (!redrawing) document.documentElement.dataset.drawn = "yes";
  }

  function isSeen(picture) {
    const box = picture.getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight;
  }

  function redraw(picture) {
    stale.delete(picture);
    if (picture.closest("details:not([open])") !== null) return; // redrawn when it is opened
    const drawing = drawingOf(picture);
    const timeline = outlast.layOut(data, drawing, now.world, now.verdicts);
    showFacts(picture.querySelector(".facts"), timeline, drawing);
    const isDrawn = timeline !== null && timeline.rows.length > 0; // else the facts say why not
    showLanes(picture, isDrawn ? outlast.eventsOf(timeline) : []);
    const figure = figureOf(picture);
    const width = Math.floor(Math.min(WIDEST, Math.max(NARROWEST, figure.clientWidth)));
    const drawn = isDrawn ? outlast.svg(timeline, width, { prefix: `picture-${picture.dataset.number}`, titled: false, told: false }) : "";
    if (figure.drawn !== drawn) {
      figure.innerHTML = drawn; // svg() escapes every text
      figure.drawn = drawn;
    }
  }

  /** Where it is drawn; pictures that nobody has opened have no such place yet. */
  function figureOf(picture) {
    const found = picture.querySelector(".figure");
    if (found !== null) return found;
    const figure = document.createElement("div");
    figure.className = "figure";
    picture.querySelector(".said").before(figure);
    return figure;
  }

  function drawingOf(picture) {
    return data.drawings[Number(picture.dataset.number)];
  }

  /** What is to be seen in a picture; where it needs values that are not known, which these are. */
  function showFacts(list, timeline, drawing) {
    if (timeline !== null) {
      showList(list, timeline.facts.map((fact) => [fact.words, `tone-${fact.tone}`]));
      return;
    }
    const missing = new Set(outlast.missingIn(now.world, drawing.names));
    const names = data.parameters.map(({ name }) => name).filter((name) => missing.has(name));
    showList(list, [[`cannot be drawn without a value of ${outlast.listed(names)}`]]);
  }

  /** Write items, each with its class, unless they stand there. */
  function showList(list, items) {
    const told = JSON.stringify(items);
    if (list.told === told) return;
    list.told = told;
    list.replaceChildren(
      ...items.map(([words, className]) => {
        const item = document.createElement("li");
        if (className) item.className = className;
        outlast.writeForward(item, words);
        return item;
      }),
    );
  }

  /** What each lane shows; without lanes there is nothing of the sort. */
  function showLanes(picture, events) {
    let lanes = picture.querySelector(".lanes");
    if (!events.length) {
      lanes?.remove();
      return;
    }
    if (lanes === null) {
      lanes = document.createElement("details");
      lanes.className = "lanes";
      const summary = document.createElement("summary");
      summary.textContent = "what each lane shows";
      lanes.append(summary, document.createElement("ul"));
      picture.querySelector(".said").append(lanes);
    }
    showList(lanes.querySelector("ul"), events.map((words) => [words]));
  }

  /** Fold away a picture none of whose rules applies any more, and unfold it once one does. */
  function showIdle(picture) {
    const note = picture.querySelector(".idle");
    if (note === null) return; // rules as bars are folded by whoever reads them
    const applies = !isIdle(picture);
    if (note.hidden === applies) return;
    note.hidden = applies;
    picture.open = applies;
  }

  function isIdle(picture) {
    return isAll(picture, (id) => outlast.stateOf(now.rules[id]) === "not applicable");
  }

  /** Whether there are rules in a picture, and this is so of all. */
  function isAll(picture, isSo) {
    const { rules } = drawingOf(picture);
    return rules.length > 0 && rules.every(isSo);
  }

  // What readers do

  function controlOf(target) {
    return controls.get(target.closest(".parameter")?.dataset.parameter);
  }

  document.addEventListener("input", ({ target }) => {
    const control = controlOf(target);
    if (target.name === "filter") table.dataset.filter = target.value;
    if (control === undefined) return;
    if (target.dataset.part === "slider") set(control, outlast.valueAt(control.scale, target.value));
    else if (target.dataset.part === "choice") set(control, chosen(control, target));
    else if (!takeField(control, target, false)) return;
    refresh();
  });

  document.addEventListener("change", ({ target }) => {
    const control = controlOf(target);
    if (control !== undefined && target.dataset.part === "field") takeField(control, target, true);
  });

  document.addEventListener("focusout", ({ target }) => {
    const control = controlOf(target);
    if (control === undefined || target.dataset.part !== "field" || target.hasAttribute("aria-invalid")) return;
    target.value = written[control.name] === undefined ? "" : textOf(control, written[control.name]);
  });

  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-set]");
    if (button === null) return;
    for (const control of controls.values()) {
      if (control[button.dataset.set] === null) continue;
      set(control, control[button.dataset.set]);
      control.seen = null; // what was typed and could not be taken goes, too
    }
    refresh();
  });

  /** Take what was typed; whether it could be. What is wrong is only told once somebody is done. */
  function takeField(control, field, isDone) {
    const found = outlast.parseFor(control, field.value);
    if (found.error === undefined) {
      field.removeAttribute("aria-invalid");
      set(control, found.value);
      remark(control, found.value);
      return true;
    }
    if (isDone) {
      tell(control, found.error);
      announce(`${control.name}: ${found.error}`);
    }
    return false;
  }

  function chosen(control, select) {
    if (select.value !== "") return control.choices[Number(select.value)];
    return control.scale === null ? null : outlast.valueAt(control.scale, control.parts.slider.value);
  }

  const widths = new ResizeObserver((entries) => {
    for (const entry of entries) {
      const width = Math.floor(entry.contentRect.width);
      if (entry.target.seen === width) continue;
      entry.target.seen = width;
      stale.add(entry.target.closest(".timeline"));
    }
    if (stale.size) redrawSoon();
  });

  // Start

  for (const control of controls.values()) set(control, opening(control));
  document.documentElement.classList.add("scripted");
  refresh();
  isOpening = false;
  for (const picture of pictures) widths.observe(figureOf(picture));
  for (const each of document.querySelectorAll(".timeline, .bars")) {
    each.addEventListener("toggle", () => {
      for (const picture of pictures) if (each.contains(picture)) stale.add(picture);
      redrawSoon();
    });
  }

  // Paper shows what is folded, but pictures only of rules that apply, and of bounds only those that are not kept.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")].filter((each) => !each.matches(".timeline") || tellsMuch(each));
    fold(folded, false);
    for (const picture of pictures) redraw(picture);
    const lanes = [...document.querySelectorAll(".lanes:not([open])")]; // made just now
    fold(lanes, false);
    folded.push(...lanes);
  });

  /** Whether a picture tells more than that rules do not apply, or that bounds of software are kept. */
  function tellsMuch(picture) {
    const isQuiet = (id) => outlast.stateOf(now.rules[id]) === "holds" && "bound" in rows.get(id).whole.dataset;
    return !isIdle(picture) && !isAll(picture, isQuiet);
  }

  addEventListener("afterprint", () => fold(folded, true));

  function fold(elements, isFolded) {
    for (const each of elements) each.open = !isFolded;
  }
})(globalThis.outlast ??= {});
