// What a report does: a line of the source, its nodes in the text and its boxes in the drawing light
// up together, and the drawing of the graph is laid out, folded and unfolded.
"use strict";

const SVG = document.querySelector("svg")?.namespaceURI;
const GAP = 26, SPACE = 18, PAD = 12, BAR = 24, HEIGHT = 38, LETTER = 7.3, LETTERS = 34, SHOWN = 40;

const sum = values => values.reduce((total, value) => total + value, 0);
const short = text => text.length > LETTERS ? text.slice(0, LETTERS - 1) + "…" : text;

// ---- layers: ranks by the longest path, order by barycentres, places by least squares

function ranksOf(items, edges) {
  const rank = new Map(items.map(item => [item, 0])), first = new Map(), fed = new Set();
  const out = new Map(items.map(item => [item, []]));
  for (const edge of edges) { out.get(edge.from).push(edge.to); fed.add(edge.to); }
  for (const item of items) // stands before what uses it
    for (const user of out.get(item)) rank.set(user, Math.max(rank.get(user), rank.get(item) + 1));
  for (const item of items)
    if (!fed.has(item) && out.get(item).length && item.kind !== "in") first.set(item, Math.min(...out.get(item).map(user => rank.get(user))) - 1);
  first.forEach((value, item) => rank.set(item, value));
  const last = Math.max(...rank.values());
  for (const item of items) if (item.kind === "out") rank.set(item, last);
  return rank;
}

// Places in the order given, at least their widths apart, as near as can be to where each would be:
// neighbours that would overlap are pooled (Robertson, Wright, Dykstra: isotonic regression).
function placed(row) {
  const pools = [];
  let offset = 0;
  row.forEach((cell, index) => {
    if (index) offset += (row[index - 1].w + cell.w) / 2 + SPACE;
    cell.offset = offset;
    pools.push({ total: (cell.wish - offset) * cell.weight, weight: cell.weight, cells: [cell] });
    while (pools.length > 1) {
      const last = pools[pools.length - 1], before = pools[pools.length - 2];
      if (before.total / before.weight <= last.total / last.weight) break;
      pools.length -= 2;
      pools.push({ total: before.total + last.total, weight: before.weight + last.weight, cells: before.cells.concat(last.cells) });
    }
  });
  for (const pool of pools) for (const cell of pool.cells) cell.x = pool.total / pool.weight + cell.offset;
}

function layers(items, edges) {
  const rank = ranksOf(items, edges), rows = [], cells = new Map(), bends = new Map();
  const add = (at, w, h) => {
    const cell = { w, h, up: [], down: [], weight: 1, x: 0, wish: 0 };
    (rows[at] ||= []).push(cell);
    return cell;
  };
  items.forEach(item => cells.set(item, add(rank.get(item), item.w, item.h)));
  const join = (above, below, pull) => { above.down.push([below, pull]); below.up.push([above, pull]); };
  for (const edge of edges) { // those of one wire share their bends
    const wire = bends.get(edge.wire) || bends.set(edge.wire, []).get(edge.wire), from = rank.get(edge.from), to = rank.get(edge.to);
    for (let at = from + 1; at < to; at++)
      if (!wire[at]) join(at > from + 1 ? wire[at - 1] : cells.get(edge.from), wire[at] = add(at, 4, 0), at > from + 1 ? 6 : 1);
    edge.bends = wire.slice(from + 1, to);
    join(to > from + 1 ? wire[to - 1] : cells.get(edge.from), cells.get(edge.to), 1);
  }
  for (let at = 0; at < rows.length; at++) rows[at] ||= [];
  const mean = (side, value) => sum(side.map(([other, pull]) => value(other) * pull)) / sum(side.map(([, pull]) => pull));
  rows.forEach(row => row.forEach((cell, index) => { cell.at = index; }));
  for (let sweep = 0; sweep < 10; sweep++) {
    const side = sweep % 2 ? "down" : "up";
    for (const row of sweep % 2 ? [...rows].reverse() : rows) {
      for (const cell of row) cell.key = cell[side].length ? mean(cell[side], other => other.at) : cell.at;
      row.sort((one, other) => one.key - other.key).forEach((cell, index) => { cell.at = index; });
    }
  }
  rows.forEach(placed);
  for (let sweep = 0; sweep < 30; sweep++) {
    for (const row of sweep % 2 ? [...rows].reverse() : rows) {
      for (const cell of row) {
        const side = sweep > 19 ? [...cell.up, ...cell.down] : sweep % 2 ? cell.down : cell.up;
        cell.wish = side.length ? mean(side, other => other.x) : cell.x;
        cell.weight = side.length ? 1 : .1;
      }
      placed(row);
    }
  }
  let y = 0, left = Infinity, right = -Infinity;
  for (const row of rows) {
    const height = Math.max(0, ...row.map(cell => cell.h));
    for (const cell of row) {
      cell.y = y;
      cell.bottom = y + height;
      left = Math.min(left, cell.x - cell.w / 2);
      right = Math.max(right, cell.x + cell.w / 2);
    }
    y += height + GAP;
  }
  for (const [item, cell] of cells) { item.dx = cell.x - cell.w / 2 - left; item.dy = cell.y; }
  for (const edge of edges) edge.bends = edge.bends.flatMap(bend => [[bend.x - left, bend.y], [bend.x - left, bend.bottom]]);
  return { w: Math.max(0, right - left), h: Math.max(0, y - GAP) };
}

// ---- the drawing

class Drawing {
  constructor(pane, content, light) {
    this.pane = pane;
    this.light = light;
    this.scale = 1;
    this.leaves = content.nodes.map(([kind, title, note, line], index) => ({ kind, title, note, index, lines: new Set(line ? [line] : []), count: 1 }));
    this.root = this.box({ kind: "box", title: "", note: "" }, content.boxes);
    this.edges = content.edges.map(pair => pair.map(index => this.leaves[index])).filter(pair => pair.every(leaf => leaf.within));
    for (const leaf of this.leaves) if (leaf.within) leaf.path = [...this.above(leaf.within).reverse(), leaf];
    this.unfoldWhatFits();
    this.current = this.root.items[0];
    this.listen();
    this.draw();
  }

  box(box, items) {
    box.items = items.map(item => typeof item === "number" ? this.leaves[item] : this.box({ kind: "box", title: item[0], note: item[1] }, item[2]));
    box.lines = new Set(box.items.flatMap(item => [...item.lines]));
    box.count = sum(box.items.map(item => item.count));
    for (const item of box.items) item.within = box;
    return box;
  }

  leavesOf(item) { return item.items ? item.items.flatMap(each => this.leavesOf(each)) : [item]; }

  above(item) { return item ? [item, ...this.above(item.within)] : []; }

  unfoldWhatFits() {
    this.root.open = true;
    let shown = this.root.items.length;
    for (const box of this.boxes()) {
      if (box === this.root || !box.within.open || shown + box.items.length > SHOWN) continue;
      box.open = true;
      shown += box.items.length;
    }
  }

  boxes() {
    const found = [this.root];
    for (const box of found) found.push(...box.items.filter(item => item.items));
    return found;
  }

  // A node's boxes down to the one that is seen of it.
  seen(leaf) {
    const folded = leaf.path.findIndex(item => item.items && !item.open);
    return folded < 0 ? leaf.path : leaf.path.slice(0, folded + 1);
  }

  // Lays out every open box by itself. An edge that leads out of a box, or into it, does so by a
  // port; edges from one place are one wire, which forks.
  lay() {
    const levels = new Map(), lines = new Map(), number = new Map([...this.boxes(), ...this.leaves].map((item, index) => [item, index]));
    const level = box => levels.get(box) || levels.set(box, { ports: new Map(), edges: new Map() }).get(box);
    const edge = (box, wire, from, to) => {
      const { edges } = level(box), name = `${number.get(wire)} ${number.get(to) ?? "out"}`;
      return edges.get(name) || edges.set(name, { box, wire, from, to }).get(name);
    };
    const port = (box, kind, wire) => {
      const { ports } = level(box), name = `${kind} ${number.get(wire)}`;
      return ports.get(name) || ports.set(name, { kind, w: 4, h: 0, box }).get(name);
    };
    for (const [from, to] of this.edges) {
      const one = this.seen(from), other = this.seen(to), start = one[one.length - 1], end = other[other.length - 1];
      const name = `${number.get(start)} ${number.get(end)}`, depth = one.findIndex((item, at) => item !== other[at]);
      if (start === end || lines.has(name)) continue;
      const steps = [];
      for (let at = one.length - 2; at >= depth; at--) steps.push(edge(one[at], start, one[at + 1], port(one[at], "out", start)));
      steps.push(edge(one[depth - 1], start, one[depth], other[depth]));
      for (let at = depth; at < other.length - 1; at++) steps.push(edge(other[at], start, port(other[at], "in", start), other[at + 1]));
      lines.set(name, { start, end, steps });
    }
    const size = item => {
      item.w = Math.max(60, Math.max(short(item.title).length, short(this.noteOf(item)).length) * LETTER + 20);
      item.h = item.note || item.items ? HEIGHT : BAR;
      if (!item.open) return;
      item.items.forEach(size);
      const { ports, edges } = level(item), inside = [...ports.values(), ...item.items].sort((one, other) => (one.kind === "out") - (other.kind === "out"));
      const inner = layers(inside, [...edges.values()]);
      item.inset = Math.max(PAD, (item.w - inner.w) / 2);
      Object.assign(item, { w: Math.max(item.w, inner.w + 2 * PAD), h: inner.h + BAR + 2 * PAD });
    };
    const put = (item, x, y) => {
      Object.assign(item, { x, y });
      if (item.open) for (const each of [...item.items, ...level(item).ports.values()]) put(each, x + item.inset + each.dx, y + BAR + PAD + each.dy);
    };
    size(this.root);
    put(this.root, 0, -BAR);
    this.lines = [...lines.values()];
  }

  noteOf(item) {
    return !item.items ? item.note : item.open ? "" : [item.note, `${item.count} nodes`].filter(Boolean).join(", ");
  }

  draw() {
    this.lay();
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${this.root.w} ${this.root.h - BAR}`);
    svg.setAttribute("role", "tree");
    svg.setAttribute("aria-label", "The graph");
    this.svg = svg;
    this.shown = [];
    const frames = [], boxes = [];
    const visit = item => {
      (item.open ? frames : boxes).push(item);
      if (item.open) item.items.forEach(visit);
    };
    this.root.items.forEach(visit);
    for (const { x, y, w, h } of frames) this.make(svg, "rect", { class: "frame", x, y, width: w, height: h, rx: 4 });
    for (const line of this.lines) svg.append(this.path(line));
    [...frames, ...boxes].forEach(item => this.add(item));
    if (!this.shown.includes(this.current)) this.current = this.above(this.current).find(item => this.shown.includes(item)) || this.shown[0];
    this.current?.g.setAttribute("tabindex", "0");
    this.pane.replaceChildren(svg);
    this.zoom(this.scale);
  }

  make(parent, name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }

  add(item) {
    const kind = item.items ? (item.open ? "open" : "folded") : item.kind, { x, y, w, h } = item, note = this.noteOf(item);
    const told = [item.title, note || item.note].filter(Boolean);
    const g = this.make(this.svg, "g", { class: kind, tabindex: -1, role: "treeitem", "aria-label": told.join(", ") });
    if (item.items) g.setAttribute("aria-expanded", Boolean(item.open));
    this.make(g, "rect", { x, y, width: w, height: item.open ? BAR : h, rx: 4 });
    this.make(g, "title", {}, told.join("\n"));
    const sign = item.items ? (item.open ? "▾ " : "▸ ") : "", middle = x + w / 2;
    this.make(g, "text", { x: middle, y: y + 16, "text-anchor": "middle" }, sign + short(item.title));
    if (note) this.make(g, "text", { class: "note", x: middle, y: y + 31, "text-anchor": "middle" }, short(note));
    g.item = item;
    item.g = g;
    this.shown.push(item);
  }

  path(line) {
    const points = [[line.start.x + line.start.w / 2, line.start.y + line.start.h]];
    for (const { box, from, to, bends } of line.steps) {
      if (from.kind === "in") points.push([from.x + 2, box.y], [from.x + 2, from.y]);
      for (const [x, y] of bends) points.push([x + box.x + box.inset, y + box.y + BAR + PAD]);
      if (to.kind === "out") points.push([to.x + 2, to.y], [to.x + 2, box.y + box.h]);
    }
    points.push([line.end.x + line.end.w / 2, line.end.y]);
    let d = `M${points[0]}`;
    for (let at = 1; at < points.length; at++) {
      const [x, y] = points[at - 1], [u, v] = points[at], middle = (y + v) / 2;
      d += Math.abs(x - u) < .5 ? `L${u},${v}` : `C${x},${middle} ${u},${middle} ${u},${v}`;
    }
    line.path = document.createElementNS(SVG, "path");
    line.path.setAttribute("d", d);
    return line.path;
  }

  zoom(scale) {
    this.scale = Math.min(3, Math.max(.05, scale));
    this.svg.setAttribute("width", this.root.w * this.scale);
    this.svg.setAttribute("height", (this.root.h - BAR) * this.scale);
  }

  // Zooms about a point of the pane.
  zoomTo(scale, x = this.pane.clientWidth / 2, y = this.pane.clientHeight / 2) {
    const before = this.scale, left = this.pane.scrollLeft + x, top = this.pane.scrollTop + y;
    this.zoom(scale);
    this.pane.scrollTo(left * this.scale / before - x, top * this.scale / before - y);
  }

  // Readable rather than whole: as wide as the pane, and no smaller than half.
  fit(least = .5) {
    this.settle(true);
    const across = (this.pane.clientWidth - 2) / this.root.w, down = (this.pane.clientHeight - 2) / (this.root.h - BAR);
    this.zoom(Math.min(1, Math.max(least, least ? across : Math.min(across, down))));
    const { x, w } = this.shown[0];
    this.settle();
    this.pane.scrollTo(least ? (x + w / 2) * this.scale - this.pane.clientWidth / 2 : 0, 0);
  }

  // The pane is no higher than what it shows, unless the reader has drawn it to another height.
  settle(whole) {
    if (this.pane.style.height !== (this.height || "")) return;
    this.pane.style.height = this.height = "";
    const needed = (this.root.h - BAR) * this.scale + this.pane.offsetHeight - this.pane.clientHeight;
    if (!whole && needed < this.pane.clientHeight) this.pane.style.height = this.height = `${Math.ceil(needed)}px`;
  }

  toggle(item) {
    const before = item.g.getBoundingClientRect();
    item.open = !item.open;
    this.current = item;
    this.draw();
    this.settle();
    const after = item.g.getBoundingClientRect();
    this.pane.scrollBy(after.left + after.width / 2 - before.left - before.width / 2, after.top - before.top);
    this.focus(item);
  }

  foldAll(open) {
    for (const box of this.boxes()) if (box !== this.root) box.open = open;
    this.draw();
    this.fit();
  }

  focus(item) {
    if (this.current) this.current.g.setAttribute("tabindex", "-1");
    this.current = item;
    item.g.setAttribute("tabindex", "0");
    item.g.focus({ preventScroll: true });
    this.reveal(item);
  }

  reveal(item) {
    const pane = this.pane.getBoundingClientRect(), { x, y, w, h } = item, at = this.svg.getBoundingClientRect(), room = 20;
    const box = { left: at.left + x * this.scale, top: at.top + y * this.scale };
    Object.assign(box, { right: box.left + w * this.scale, bottom: box.top + Math.min(h, HEIGHT) * this.scale });
    const by = (low, high, from, to) => low < from ? low - from - room : high > to ? Math.min(high - to + room, low - from - room) : 0;
    this.pane.scrollBy(by(box.left, box.right, pane.left, pane.right), by(box.top, box.bottom, pane.top, pane.bottom));
  }

  // The nearest box in a direction, those straight ahead first.
  step(dx, dy) {
    const centre = item => [item.x + item.w / 2, item.y + (item.open ? BAR : item.h) / 2], [x, y] = centre(this.current);
    let best, least = Infinity;
    for (const item of this.shown) {
      const [u, v] = centre(item), ahead = (u - x) * dx + (v - y) * dy, aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (ahead > 1 && ahead + 2 * aside < least) [best, least] = [item, ahead + 2 * aside];
    }
    if (best) this.focus(best);
  }

  mark(item, on) {
    for (const line of this.lines) if (line.start === item || line.end === item) line.path.classList.toggle("near", on);
    item.g.classList.toggle("lit", on);
    this.light(item, on);
  }

  lightLine(line, on) {
    for (const item of this.shown) if (item.lines.has(line)) item.g.classList.toggle("lit", on);
  }

  listen() {
    const item = event => event.target.closest("g")?.item;
    for (const [name, on] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]])
      this.pane.addEventListener(name, event => { if (item(event)) this.mark(item(event), on); });
    this.pane.addEventListener("click", event => {
      const found = item(event);
      if (found?.items) this.toggle(found);
      else if (found) { this.focus(found); this.pane.dispatchEvent(new CustomEvent("shown", { bubbles: true, detail: [...found.lines][0] })); }
    });
    const keys = {
      ArrowUp: () => this.step(0, -1), ArrowDown: () => this.step(0, 1), ArrowLeft: () => this.step(-1, 0), ArrowRight: () => this.step(1, 0),
      Enter: () => this.activate(), " ": () => this.activate(), Escape: () => this.current.within !== this.root && this.toggle(this.current.within),
      "+": () => this.zoomTo(this.scale * 1.25), "-": () => this.zoomTo(this.scale / 1.25), 0: () => this.fit(),
    };
    this.pane.addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey || !item(event) || !Object.hasOwn(keys, event.key)) return;
      event.preventDefault();
      keys[event.key]();
    });
    this.pane.addEventListener("wheel", event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const pane = this.pane.getBoundingClientRect();
      this.zoomTo(this.scale * Math.exp(-event.deltaY / 300), event.clientX - pane.left, event.clientY - pane.top);
    }, { passive: false });
    this.pane.addEventListener("pointerdown", event => {
      if (item(event) || event.button || event.pointerType === "touch" || event.offsetX > this.pane.clientWidth) return;
      const move = moved => this.pane.scrollBy(-moved.movementX, -moved.movementY);
      addEventListener("pointermove", move);
      addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
    });
  }

  activate() {
    if (this.current.items) this.toggle(this.current);
    else this.current.g.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  }
}

// ---- the page

// One stop of the Tab key for a list of lines, within which arrow keys, Home and End lead on.
function list(pane) {
  const rows = [...pane.querySelectorAll("[tabindex]")];
  const stop = row => rows.forEach(each => each.setAttribute("tabindex", each === row ? "0" : "-1"));
  stop(rows[0]);
  pane.addEventListener("focusin", event => { if (rows.includes(event.target)) stop(event.target); });
  pane.addEventListener("keydown", event => {
    const at = rows.indexOf(event.target);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    rows[next]?.focus();
  });
}

function report(main) {
  const marked = new Map();
  for (const element of main.querySelectorAll("[data-line]")) {
    const line = element.dataset.line;
    marked.set(line, [...(marked.get(line) || []), element]);
  }
  let drawing;
  const light = (line, on) => {
    for (const element of marked.get(line) || []) element.classList.toggle("lit", on);
    drawing?.lightLine(line, on);
  };
  // Brings the first mark of a line into view in every pane but the one that was clicked.
  const show = (line, from) => {
    for (const pane of main.querySelectorAll(".source, .graph")) {
      const element = (marked.get(line) || []).find(each => pane.contains(each));
      if (!element || pane === from) continue;
      if (element.offsetTop < pane.scrollTop || element.offsetTop > pane.scrollTop + pane.clientHeight - 30)
        pane.scrollTop = element.offsetTop - pane.clientHeight / 3;
    }
    const box = drawing && drawing.pane !== from && drawing.shown.find(item => item.lines.has(line) && !item.open);
    if (box) drawing.reveal(box);
  };
  const line = event => event.target.closest("[data-line]")?.dataset.line;
  for (const [name, on] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]])
    main.addEventListener(name, event => { if (line(event)) light(line(event), on); });
  main.addEventListener("click", event => { if (line(event)) show(line(event), event.target.closest(".source, .graph")); });
  main.addEventListener("keydown", event => { if (line(event) && event.key === "Enter") show(line(event), event.target.closest(".source, .graph")); });
  main.querySelectorAll(".code").forEach(list);
  const place = main.querySelector(".drawing");
  if (!place) return;
  place.hidden = false;
  const pane = place.querySelector(".sheet");
  const rows = main.querySelectorAll(".graph > [tabindex]"); // of all nodes, in their order
  const lightItem = (item, on) => {
    for (const leaf of drawing.leavesOf(item)) rows[leaf.index].classList.toggle("lit", on);
    for (const name of item.lines) for (const element of marked.get(name) || []) if (element.closest(".source")) element.classList.toggle("lit", on);
  };
  drawing = new Drawing(pane, JSON.parse(main.querySelector("script").textContent), lightItem);
  drawing.fit();
  const deeds = {
    unfold: () => drawing.foldAll(true), fold: () => drawing.foldAll(false), whole: () => drawing.fit(0),
    larger: () => drawing.zoomTo(drawing.scale * 1.25), smaller: () => drawing.zoomTo(drawing.scale / 1.25),
  };
  for (const button of place.querySelectorAll("button")) button.addEventListener("click", deeds[button.name]);
  pane.addEventListener("shown", event => show(event.detail, pane));
}

document.querySelectorAll(".report").forEach(report);
