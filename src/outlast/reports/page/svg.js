// Timelines as SVG, as reports/svg.py and reports/svg_text.py draw them, to the byte; all measures are whole tenths of a pixel.
//
// Needs direction.js, and numbers.js for what stands beside the line where a rule goes wrong.
"use strict";
(function (outlast) {
  const TSPAN = ['<tspan direction="ltr" unicode-bidi="isolate">', "</tspan>"];
  const MARGIN = 140;
  const WIDE = 520;
  const LONGEST_LABEL = 26;
  const COLUMN = 72;
  const LINE = 170;
  const BASE = 125;
  const TITLE_COLUMN = 84;
  const TITLE_LINE = 200;
  const TITLE_BASE = 145;
  const BAR = 190;
  const BAR_BASE = 136;
  const AFTER_BAR = 20;
  const AFTER_LANE = 90;
  const BEFORE_ROOM = 60;
  const INSET = 60;
  const CORNER = 50;
  const BESIDE_MARK = 80;
  const BESIDE_LINE = 60;
  const ARROW = 70;
  const THINNEST = 10;
  const BESIDE = 70;
  const APART = 50;
  const ASIDE = 30;

  const SIGNS = { bad: "✗ ", good: "✓ " };
  const UNSEEN =
    /[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e0fff}]/gu;
  const CUTS = new Set("-/@:._,;=");
  const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };

  const half = (whole) => Math.floor(whole / 2);

  // Text

  /** Text in which everything is seen: what is not stands there by its number. */
  function readable(text) {
    return text.replace(UNSEEN, numbered);
  }

  function numbered(character) {
    const code = character.codePointAt(0);
    if (code === 9) return "\\t";
    if (code === 13) return "\\r";
    const digits = code.toString(16);
    if (code < 0x100) return "\\x" + digits.padStart(2, "0");
    return code < 0x10000 ? "\\u" + digits.padStart(4, "0") : "\\U" + digits.padStart(8, "0");
  }

  /** Readable text that is no markup, inside of elements and of attributes in quotes. */
  function escape(text) {
    return readable(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign]);
  }

  /** Readable text with single spaces, where a line ends too. */
  function oneLine(text) {
    return split(readable(text)).join(" ");
  }

  const split = (text) => text.split(/[ \n]+/).filter((word) => word !== "");

  /** How many columns text takes: two for whatever may be wide, generously. */
  function columns(text) {
    let sum = 0;
    for (const character of text) sum += columnsOf(character);
    return sum;
  }

  function columnsOf(character) {
    const code = character.codePointAt(0);
    return code < 0x1100 || (code >= 0x1160 && code < 0x2e80) || (code >= 0xfe00 && code < 0xfe10) ? 1 : 2;
  }

  const lengthOf = (text) => columns(text) * COLUMN;

  /** Readable text as lines of at most `room` columns; words that are longer are cut, after a sign if there is one. */
  function wrapped(text, room) {
    const lines = [];
    let line = "";
    for (const word of split(text)) {
      if (line !== "" && columns(line) + 1 + columns(word) <= room) {
        line += " " + word;
        continue;
      }
      if (line !== "") lines.push(line);
      const cut = pieces(word, room);
      line = cut.pop();
      lines.push(...cut);
    }
    return line === "" ? lines : [...lines, line];
  }

  /** A word in pieces of at most `room` columns, the last one whatever is left. */
  function pieces(word, room) {
    const characters = Array.from(word);
    const found = [];
    let [start, width] = [0, 0];
    characters.forEach((character, at) => {
      width += columnsOf(character);
      if (width <= room || at === start) return;
      let end = at;
      while (end > start + half(at - start) && !CUTS.has(characters[end - 1])) end -= 1;
      if (end === start + half(at - start)) end = at;
      found.push(characters.slice(start, end).join(""));
      start = end;
      width = columns(characters.slice(end, at + 1).join(""));
    });
    found.push(characters.slice(start).join(""));
    return found;
  }

  // Words beside places

  /** Words of one line, [place, words] each, put into rows so that none overlap: {index, row, left, lines, isBeside}. */
  function placed(wanted, walls, left, right) {
    const order = wanted.map((_, index) => index).sort((a, b) => wanted[b][0] - wanted[a][0] || a - b);
    const back = [...order].reverse();
    const ways = [[order, [1, -1]], [back, [1, -1]], [order, [1]], [back, [-1]]];
    const tried = ways.map(([each, sides]) => placedIn(each, sides, wanted, walls, left, right));
    return tried.reduce((best, each) => (isLess(each.cost, best.cost) ? each : best)).found;
  }

  function isLess(cost, other) {
    const differs = cost.findIndex((each, n) => each !== other[n]);
    return differs !== -1 && cost[differs] < other[differs];
  }

  /** Words put into rows one after another; how many have a leader that passes words, how many stand on walls, how many rows. */
  function placedIn(order, sides, wanted, walls, left, right) {
    const taken = [];
    let [passing, walled] = [0, 0];
    const found = order.map((index) => {
      const [place, words] = wanted[index];
      const blocks = blocksOf(place, words, sides, left, right);
      const below = Math.max(0, ...taken.map((each) => each.last + 1));
      let free = freeOf(place, blocks, taken, walls, below);
      if (free === null) {
        walled += 1;
        free = freeOf(place, blocks, taken, [], below);
      }
      if (free === null) {
        passing += 1;
        free = [below, blocks[blocks.length - 1]];
      }
      const [row, block] = free;
      const led = block.isBeside ? row : row - 1;
      taken.push({ first: row, last: row + block.lines.length - 1, left: block.left, right: block.right, place, led });
      return { index, row, left: block.left, lines: block.lines, isBeside: block.isBeside };
    });
    return { cost: [passing, walled, depthOf(found)], found };
  }

  const depthOf = (found) => Math.max(0, ...found.map((each) => each.row + each.lines.length));

  /** Where words may stand in a row, the best first: beside the place, on these sides of it, or below it if need be. */
  function blocksOf(place, words, sides, left, right) {
    const blocks = [];
    const width = lengthOf(words);
    for (const side of sides) {
      const start = side > 0 ? place + BESIDE : place - BESIDE - width;
      if (left <= start && start + width <= right) {
        blocks.push({ left: start, right: start + width, lines: [words], isBeside: true });
      }
    }
    if (blocks.length && sides.length === 1) return blocks;
    const lines = wrapped(words, Math.floor((right - left) / COLUMN));
    const widest = Math.max(...lines.map(lengthOf));
    const start = Math.max(left, Math.min(place - half(widest), right - widest));
    blocks.push({ left: start, right: start + widest, lines, isBeside: false });
    return blocks;
  }

  /** The first row with a free block, down to the one below all; null: there is none. */
  function freeOf(place, blocks, taken, walls, below) {
    for (let row = 0; row <= below; row += 1) {
      const block = blocks.find((each) => isFree(place, row, each, taken, walls));
      if (block !== undefined) return [row, block];
    }
    return null;
  }

  /** Whether words could stand there: no others do, and no leader passes words, neither theirs nor another's. */
  function isFree(place, row, block, taken, walls) {
    const last = row + block.lines.length - 1;
    const led = block.isBeside ? row : row - 1;
    if (walls.some((wall) => crosses(wall, block.left, block.right))) return false;
    return !taken.some((each) => {
      const sharesRows = row <= each.last && each.first <= last;
      if (sharesRows && block.left < each.right + APART && each.left < block.right + APART) return true;
      if (row <= each.led && crosses(each.place, block.left, block.right)) return true;
      return each.first <= led && crosses(place, each.left, each.right);
    });
  }

  const crosses = (line, left, right) => left - ASIDE < line && line < right + ASIDE;

  // Elements

  /** An element; attributes without a value are left out, texts inside are markup already. */
  function element(name, attributes, ...inside) {
    const told = Object.entries(attributes).filter(([, value]) => value !== null);
    return `<${name}${told.map(([key, value]) => ` ${key}="${escape(String(value))}"`).join("")}>${inside.join("")}</${name}>`;
  }

  /** Tenths of a pixel as a number of pixels. */
  function px(tenths) {
    return tenths % 10 ? `${Math.floor(tenths / 10)}.${tenths % 10}` : String(tenths / 10);
  }

  function textElement(left, base, width, text, className) {
    const size = { x: px(left), y: px(base), textLength: px(width), lengthAdjust: "spacingAndGlyphs" };
    return element("text", { class: className, ...size }, outlast.forward(escape(text), TSPAN));
  }

  /** An id as a part of one that HTML, SVG and addresses take as it is; different ones stay different. */
  function safe(name) {
    return Array.from(name, (c) => (/^[A-Za-z0-9-]$/.test(c) ? c : `_${c.codePointAt(0).toString(16)}_`)).join("");
  }

  function signed(words, tone) {
    const told = oneLine(words);
    return told === "" ? "" : (SIGNS[tone] ?? "") + told;
  }

  // The picture

  /** A timeline as SVG, `width` pixels wide, as svg() of reports/svg.py. */
  function svg(timeline, width, { prefix = "timeline", titled = true, told = true } = {}) {
    const name = `${prefix}-${safe(timeline.id)}`;
    const [height, inside] = drawn(timeline, width, name, titled, told);
    const size = { viewBox: `0 0 ${width} ${px(height)}`, width: String(width), height: px(height) };
    const read = { role: "img", "aria-labelledby": told ? `${name}-title ${name}-desc` : `${name}-title` };
    return element("svg", { class: "tl", ...size, ...read }, ...inside);
  }

  function drawn(timeline, width, name, titled, told) {
    const sheet = { hatch: `${name}-hatch`, isHatched: false, back: [], bars: [], lines: [], words: [] };
    const frame = frameOf(timeline, width);
    let top = MARGIN;
    if (titled) {
      const lines = wrapped(oneLine(timeline.title), Math.floor((frame.right - frame.left) / TITLE_COLUMN));
      lines.forEach((line, number) => {
        const base = top + number * TITLE_LINE + TITLE_BASE;
        sheet.words.push(textElement(frame.left, base, columns(line) * TITLE_COLUMN, line, "tl-title"));
      });
      top += lines.length * TITLE_LINE + 40;
    }
    const begin = drawAxis(sheet, frame, timeline, top);
    top = frame.walls.length ? drawWalls(sheet, frame, timeline, begin + 60) : begin + 100;
    const lanes = lanesOf(timeline, frame);
    lanes.forEach((lane, number) => {
      if (lane.isRoom && number && !lanes[number - 1].isRoom) {
        sheet.back.push(element("path", { class: "tl-rule", d: `M${px(frame.left)} ${px(top)}H${px(frame.right)}` }));
        top += BEFORE_ROOM + AFTER_LANE;
      }
      top = drawLane(sheet, frame, lane, top) + AFTER_LANE;
    });
    top -= AFTER_LANE - 30;
    for (const wall of frame.walls) drawLine(sheet, "tl-wall", `M${px(wall)} ${px(begin)}V${px(top)}`);
    const grid = timeline.ticks.map((tick) => `M${px(frame.place(tick.at))} ${px(begin)}V${px(top)}`).join("");
    const height = top + MARGIN;
    return [
      height,
      [
        element("title", { id: `${name}-title` }, escape(timeline.title)),
        told ? element("desc", { id: `${name}-desc` }, escape(timeline.facts.map((fact) => fact.words).join(" "))) : "",
        sheet.isHatched ? hatch(sheet) : "",
        element("rect", { class: "tl-paper", width: px(width * 10), height: px(height) }),
        element("path", { class: "tl-grid", d: grid }),
        ...sheet.back,
        ...sheet.bars,
        ...sheet.lines,
        ...sheet.words,
      ],
    ];
  }

  /** Where things are, from left to right. */
  function frameOf(timeline, width) {
    const [left, right] = [MARGIN, width * 10 - MARGIN];
    const labels = [...timeline.rows.map((row) => row.label), ...timeline.gaps.map((gap) => gap.rule)];
    const longest = Math.max(0, ...labels.map((label) => columns(oneLine(label))));
    const label = width >= WIDE ? Math.min(longest, LONGEST_LABEL, Math.floor((right - left) / (4 * COLUMN))) : null;
    const origin = label ? left + label * COLUMN + MARGIN : left;
    const { n, d } = timeline.until;
    const place = (at) => Math.min(right, origin + Number((at.n * BigInt(right - origin) * d) / (at.d * n)));
    const walls = [...new Set(wrongOf(timeline).map(place))].sort((a, b) => a - b);
    return { left, origin, right, label, place, walls };
  }

  /** The moments at which rules go wrong, in their order, each once. */
  function wrongOf(timeline) {
    const all = timeline.gaps.map((gap) => gap.wrong_at).filter((at) => at !== null);
    const ordered = all.sort((a, b) => Number(a.n * b.d > b.n * a.d) - Number(a.n * b.d < b.n * a.d));
    return ordered.filter((at, n) => n === 0 || at.n !== ordered[n - 1].n || at.d !== ordered[n - 1].d);
  }

  function lanesOf(timeline, frame) {
    return [...timeline.rows.map((row) => laneOf(row, frame)), ...timeline.gaps.map((gap) => roomOf(gap, frame))];
  }

  function laneOf(row, frame) {
    const bars = row.stretches.map((each) => barOf(each, frame));
    const marks = row.moments.map((each) => markOf(each.at, each, frame));
    return { label: oneLine(row.label), bars, marks, isRoom: false };
  }

  /** The room of a rule as a lane: a bar, or a mark where there is none at all. */
  function roomOf(gap, frame) {
    const label = oneLine(gap.rule);
    const isEmpty = gap.end !== null && gap.start.n === gap.end.n && gap.start.d === gap.end.d;
    if (!isEmpty) return { label, bars: [barOf(gap, frame)], marks: [], isRoom: true };
    return { label, bars: [], marks: [markOf(gap.start, gap, frame)], isRoom: true };
  }

  function barOf({ start, end, words, tone }, frame) {
    return { start: frame.place(start), end: end === null ? null : frame.place(end), words: signed(words, tone), tone };
  }

  function markOf(at, { words, tone }, frame) {
    return { place: frame.place(at), words: signed(words, tone), tone };
  }

  /** The words of the axis, every second or third where not all have room; where its line is. */
  function drawAxis(sheet, frame, timeline, top) {
    const boxes = timeline.ticks.map((tick) => {
      const words = oneLine(tick.words);
      const left = Math.min(frame.place(tick.at) - half(lengthOf(words)), frame.right - lengthOf(words));
      return { left: Math.max(frame.left, left), words };
    });
    let every = 1;
    const shown = () => boxes.filter((_, number) => number % every === 0);
    while (!haveRoom(shown(), frame)) every += 1;
    for (const { left, words } of shown()) drawText(sheet, left, top, words, "tl-tick");
    const line = top + LINE + 20;
    sheet.back.push(element("path", { class: "tl-axis", d: `M${px(frame.origin)} ${px(line)}H${px(frame.right)}` }));
    return line;
  }

  /** Whether words in one line stand apart; the first alone always do. */
  function haveRoom(boxes, frame) {
    if (boxes.length < 2) return true;
    const ends = boxes.map(({ left, words }) => left + lengthOf(words));
    return ends[ends.length - 1] <= frame.right && boxes.slice(1).every(({ left }, n) => ends[n] + COLUMN <= left);
  }

  /** The moments at which rules go wrong, lowest first so that the lines below pass no words; where the words end. */
  function drawWalls(sheet, frame, timeline, top) {
    const wrong = wrongOf(timeline);
    const wanted = wrong.map((at) => [frame.place(at), signed(wrongWords(at, timeline, wrong.length > 1), "bad")]);
    const found = placed(wanted, [], frame.origin, frame.right);
    const depth = depthOf(found);
    for (const { lines, left, row } of found) {
      drawWords(sheet, lines, left, top + (depth - row - lines.length) * LINE, "tl-words tl-bad");
    }
    return top + depth * LINE + 60;
  }

  /** `goes wrong at 350s`, with the rule where others go wrong at other moments. */
  function wrongWords(at, timeline, areSeveral) {
    const words = `goes wrong at ${outlast.formatValue(at, timeline.time_exponent)}`;
    const gaps = timeline.gaps.filter(({ wrong_at: own }) => own !== null && own.n === at.n && own.d === at.d);
    const more = gaps.length > 1 ? ` and ${gaps.length - 1} more` : "";
    return areSeveral ? `${words}: ${gaps[0].rule}${more}` : words;
  }

  /** A lane with its label; where it ends. */
  function drawLane(sheet, frame, lane, top) {
    const className = lane.isRoom ? "tl-label tl-of-rule" : "tl-label";
    let lines = wrapped(lane.label, frame.label || Math.floor((frame.right - frame.left) / COLUMN));
    if (frame.label === null) {
      drawWords(sheet, lines, frame.left, top, className);
      top += lines.length * LINE + AFTER_BAR;
      lines = [];
    }
    lines.forEach((line, number) => drawText(sheet, frame.left, top + BAR_BASE - BASE + number * LINE, line, className));
    const least = top + BAR_BASE - BASE + lines.length * LINE;
    const middle = top + half(BAR);
    sheet.back.push(element("path", { class: "tl-track", d: `M${px(frame.origin)} ${px(middle)}H${px(frame.right)}` }));
    tracksOf(lane.bars).forEach((bars, number) => {
      top = drawTrack(sheet, frame, bars, number ? [] : lane.marks, top, lane.isRoom);
    });
    return Math.max(top, least);
  }

  /** Bars, those that overlap one below the other; one track at least. */
  function tracksOf(bars) {
    const tracks = [[]];
    for (const bar of bars) {
      const isFreeFor = (last) => last === undefined || (last.end !== null && last.end <= bar.start);
      const track = tracks.find((each) => isFreeFor(each[each.length - 1]));
      if (track === undefined) tracks.push([bar]);
      else track.push(bar);
    }
    return tracks;
  }

  /** Bars and marks in a row, and rows of the words that have no room in them; where they end. */
  function drawTrack(sheet, frame, bars, marks, top, isRoom) {
    const wanted = [];
    const blocked = [
      ...marks.map((each) => [each.place - BESIDE_MARK, each.place + BESIDE_MARK]),
      ...frame.walls.map((wall) => [wall - BESIDE_LINE, wall + BESIDE_LINE]),
    ].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    for (const bar of bars) {
      const end = drawBar(sheet, frame, bar, top, isRoom);
      const inside = insideOf(bar, bar.end === null ? frame.right - ARROW : end, blocked);
      if (inside !== null) drawText(sheet, inside, top + BAR_BASE - BASE, bar.words, "tl-words tl-inside");
      else if (bar.words !== "") {
        wanted.push({ place: half(bar.start + end), words: bar.words, tone: bar.tone, begin: top + BAR });
      }
    }
    for (const { place, words, tone } of marks) {
      drawMark(sheet, place, top + half(BAR), tone);
      if (words !== "") wanted.push({ place, words, tone, begin: top + half(BAR) + CORNER });
    }
    const found = placed(wanted.map(({ place, words }) => [place, words]), frame.walls, frame.origin, frame.right);
    const first = top + BAR + AFTER_BAR;
    for (const each of found) {
      const { place, tone, begin } = wanted[each.index];
      const row = first + each.row * LINE;
      const down = `M${px(place)} ${px(begin)}V`;
      const side = each.left > place ? each.left - 30 : each.left + lengthOf(each.lines[0]) + 30;
      drawLine(sheet, "tl-leader", each.isBeside ? `${down}${px(row + 85)}H${px(side)}` : `${down}${px(row + 20)}`);
      drawWords(sheet, each.lines, each.left, row, `tl-words tl-${tone}`);
    }
    return found.length ? first + depthOf(found) * LINE : top + BAR;
  }

  /** A bar, with an arrow where it goes on beyond the picture; where it ends. */
  function drawBar(sheet, frame, bar, top, isRoom) {
    const className = `tl-bar tl-${bar.tone}${isRoom ? " tl-room" : ""}`;
    const fill = bar.tone === "bad" ? `url(#${sheet.hatch})` : null;
    if (fill !== null) sheet.isHatched = true;
    const end = bar.end === null ? frame.right : Math.max(bar.end, bar.start + THINNEST);
    if (bar.end !== null) {
      const box = { x: px(bar.start), y: px(top), width: px(end - bar.start), height: px(BAR), rx: "3" };
      sheet.bars.push(element("rect", { class: className, ...box, fill }));
      return end;
    }
    const neck = Math.max(bar.start, end - ARROW);
    const back = `M${px(neck)} ${px(top)}H${px(bar.start)}V${px(top + BAR)}H${px(neck)}`;
    const d = `${back}L${px(end)} ${px(top + half(BAR))}L${px(neck)} ${px(top)}`;
    sheet.bars.push(element("path", { class: className, d, fill }));
    return end;
  }

  function drawMark(sheet, x, y, tone) {
    const corners = [[x, y - CORNER], [x + CORNER, y], [x, y + CORNER], [x - CORNER, y]];
    const d = `M${corners.map(([left, top]) => `${px(left)} ${px(top)}`).join("L")}Z`;
    sheet.bars.push(element("path", { class: `tl-mark tl-${tone}`, d }));
  }

  /** Where the words of a bar begin inside of it, clear of marks and of lines; null: they have no room. */
  function insideOf(bar, end, blocked) {
    const width = lengthOf(bar.words);
    if (width === 0) return null;
    let left = bar.start + INSET;
    for (const [start, stop] of blocked) if (stop > left && start < left + width) left = stop;
    return left + width <= end - INSET ? left : null;
  }

  function drawWords(sheet, lines, left, top, className) {
    lines.forEach((line, number) => {
      clear(sheet, left, top + number * LINE, line);
      drawText(sheet, left, top + number * LINE, line, className);
    });
  }

  function drawText(sheet, left, top, text, className) {
    sheet.words.push(textElement(left, top + BASE, lengthOf(text), text, className));
  }

  /** Hide what is behind a line of words. */
  function clear(sheet, left, top, text) {
    const box = { x: px(left - 20), y: px(top + 10), width: px(lengthOf(text) + 40), height: px(LINE - 20) };
    sheet.words.push(element("rect", { class: "tl-paper", ...box }));
  }

  function drawLine(sheet, className, d) {
    sheet.lines.push(element("path", { class: className, d }));
  }

  /** What bars of what is bad are filled with. */
  function hatch(sheet) {
    const paper = element("rect", { class: "tl-hatched", width: "6", height: "6" });
    const stroke = element("path", { class: "tl-hatch", d: "M0 0V6" });
    const size = { width: "6", height: "6", patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
    return element("defs", {}, element("pattern", { id: sheet.hatch, ...size }, paper, stroke));
  }

  Object.assign(outlast, { escape, svg });
})(globalThis.outlast ??= {});
