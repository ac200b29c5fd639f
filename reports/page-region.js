/* The picture of each region: only what is in sight is drawn, so that it does not matter
   how much there is. Half-steps run across, bytes upwards. page-timeline.js says which part
   of it is in sight, and how large. */
(function () {
  "use strict";
  var t = tenure;
  var TOP = 26, PLOT = 400, RULER = 22, STRIP_GAP = 16, STRIP = 34, BOTTOM = 6;
  var MANY = 120; /* more boxes at hand than these are drawn as a few paths */
  var CHAINS = 6;
  var AXIS = 78, axisWidth = AXIS;
  var view = { plan: t.plans[0], kx: 0, zoomY: 1, chosen: null, step: null, zooming: false, listeners: [] };
  var regions = [];
  var constants = t.ops.map(function (op) { return op.elided ? 0 : Math.max(op.constants, 0); });
  var mostConstants = constants.reduce(function (most, n) { return Math.max(most, n); }, 0);
  var height = TOP + PLOT + RULER + (mostConstants ? STRIP_GAP + STRIP : 0) + BOTTOM;

  /* Blocks of boxes with the latest end in each: boxes are sorted by their begin. */
  var BLOCK = 128;
  function index(plan) {
    if (plan.blocks) return;
    var b = plan.boxes;
    plan.blocks = new Float64Array(Math.ceil(b.n / BLOCK));
    for (var i = 0; i < b.n; i++) {
      var k = Math.floor(i / BLOCK);
      plan.blocks[k] = Math.max(plan.blocks[k], b.end[i]);
    }
    /* the overlaps that a box lies over: the first, and of each the next one */
    plan.over = { first: new Int32Array(b.n).fill(-1), next: new Int32Array(plan.overlaps.length) };
    for (i = plan.overlaps.length - 1; i >= 0; i--) {
      var box = plan.overlaps[i].over;
      plan.over.next[i] = plan.over.first[box];
      plan.over.first[box] = i;
    }
  }

  function boxesBetween(plan, region, from, to) {
    var b = plan.boxes, list = [];
    for (var k = 0; k < plan.blocks.length; k++) {
      if (plan.blocks[k] <= from) continue;
      if (b.begin[k * BLOCK] >= to) break;
      for (var i = k * BLOCK; i < Math.min(b.n, (k + 1) * BLOCK); i++)
        if (b.region[i] === region && b.begin[i] < to && b.end[i] > from) list.push(i);
    }
    return list;
  }

  /* The lines: those of the plan that the page is about, and the top of another one. */
  function marksOf(region) {
    var marks = t.plans[0].marks.filter(function (m) { return m.region === region; });
    if (view.plan !== t.plans[0] && t.regions.length === 1)
      marks.unshift({ kind: "other", name: view.plan.name, bytes: view.plan.bytes, exact: view.plan.exact });
    return marks;
  }

  function Region(id, parent) {
    this.id = id;
    this.left = this.top = 0; /* how far it is scrolled, read once for each drawing */
    this.node = t.element("div", "tl-region");
    this.node.dataset.region = id;
    if (t.regions.length > 1) this.node.appendChild(t.element("h3", "region-name", t.regions[id].name));
    this.frame = t.element("div", "tl-frame");
    this.axis = t.shape(this.frame, "svg", "tl-svg tl-axis-svg", { width: AXIS, height: height, "aria-hidden": "true" });
    this.scroller = t.element("div", "scroller");
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "group");
    this.scroller.setAttribute("aria-label", "Buffers in memory over the steps of the run. Arrow keys choose a " +
      "buffer, plus and minus enlarge, P goes to the peak.");
    this.space = t.element("div", "tl-space");
    this.svg = t.shape(this.space, "svg", "tl-svg tl-plot-svg", { id: "plot-" + id, height: height });
    this.world = t.shape(this.svg, "svg", "tl-world", { x: 0, y: 0, height: TOP + PLOT });
    this.layers = t.shape(this.world, "g", null, {});
    this.under = t.shape(this.svg, "g", null, {});
    this.cursor = t.shape(this.world, "rect", "tl-cursor", { y: TOP, height: PLOT });
    this.fixed = t.shape(this.space, "svg", "tl-svg tl-fixed tl-marks", { height: height, "aria-hidden": "true" });
    this.scroller.appendChild(this.space);
    this.frame.appendChild(this.scroller);
    this.node.appendChild(this.frame);
    parent.appendChild(this.node);
  }

  Region.prototype.measure = function () {
    var b = view.plan.boxes, most = 0, self = this;
    for (var i = 0; i < b.n; i++)
      if (b.region[i] === this.id) most = Math.max(most, b.offset[i] + b.bytes[i]);
    marksOf(this.id).forEach(function (m) {
      if (m.kind !== "peak" && m.bytes <= 3 * most) most = Math.max(most, m.bytes);
    });
    this.bytes = most;
    this.node.hidden = most === 0;
    this.boxes = 0;
    for (i = 0; i < b.n; i++) if (b.region[i] === self.id) this.boxes++;
  };

  /* Long numbers are told in larger units: grid lines are at multiples of a power of two,
     so that these are exact, too. All axes are alike, so that the pictures are. */
  var LONG = 1e9, UNITS = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  function axes() {
    var long = regions.some(function (r) { return r.bytes >= LONG; });
    axisWidth = long ? 104 : AXIS;
    regions.forEach(function (r) { r.axis.setAttribute("width", axisWidth); });
    document.getElementById("overview").style.marginLeft = axisWidth + 1 + "px";
  }

  Region.prototype.tickWords = function (at, tick) {
    var unit = -1;
    if (this.bytes < LONG || !at) return t.number(at);
    for (; tick >= 1024 && unit + 1 < UNITS.length; unit++) {
      tick /= 1024;
      at /= 1024;
    }
    return t.number(at) + (unit < 0 ? "" : " " + UNITS[unit]);
  };

  Region.prototype.y = function (bytes) {
    return TOP + PLOT * view.zoomY - this.top - bytes / this.bytes * PLOT * view.zoomY;
  };

  Region.prototype.resize = function () {
    var room = this.paper || this.scroller.clientWidth;
    this.space.style.width = Math.max(room, Math.ceil(t.steps * view.kx)) + "px";
    this.space.style.height = height + PLOT * (view.zoomY - 1) + "px";
    this.fixed.setAttribute("width", room);
    this.whole = Math.max(room, t.steps * view.kx);
    this.room = room;
    this.drawn = null;
  };

  function boxClass(plan, i) {
    var b = plan.boxes;
    return "tl-box tl-" + t.kinds[b.kind[i]] +
      (b.chain[i] >= 0 ? " tl-chain" + b.chain[i] % CHAINS : " tl-shade" + i % 3);
  }

  function describe(i) {
    var b = view.plan.boxes;
    return t.boxName(view.plan, i) + ": " + t.bytes(t.boxBytes(view.plan, i)) + " at " + t.number(t.boxOffset(view.plan, i)) + ", half-steps " +
      b.begin[i] + " to " + b.last[i] + (b.ringOf[i] ? ", a ring for " + t.bytes(t.exact(b.ringOf, i)) : "");
  }

  Region.prototype.label = function (g, i, x, y, width, tall) {
    var plan = view.plan, name = t.brief(t.boxName(plan, i)), need = t.width(name);
    var from = Math.max(x + (plan.over.first[i] >= 0 ? view.kx : 0), 0), to = Math.min(x + width, this.width);
    var along = Math.floor((to - from - 8) / 6.4), up = Math.floor((tall - 10) / 6.4), node;
    var flat = along >= 5 && tall >= 13, steep = up >= 5 && to - from >= 13;
    flat = (flat || (need <= along && tall >= 13)) &&
      (need <= along || along >= 16 || !steep || up <= along);
    if (!flat && !steep) return;
    node = t.shape(g, "text", "tl-name", flat ? { x: from + 5, y: y + tall / 2 + 4 }
      : { transform: "translate(" + ((from + to) / 2 + 4) + " " + (y + tall - 5) + ") rotate(-90)" });
    node.textContent = t.tail(name, flat ? along : up);
  };

  Region.prototype.box = function (parent, i, left) {
    var b = view.plan.boxes, x = b.begin[i] * view.kx - left, width = (b.end[i] - b.begin[i]) * view.kx;
    var y = this.y(b.offset[i] + b.bytes[i]), tall = Math.max(this.y(b.offset[i]) - y, 1.5);
    var g = t.shape(parent, "a", boxClass(view.plan, i), { href: "#b" + i, tabindex: -1, "data-box": i,
      "data-bytes": b.bytes[i] });
    var inset = Math.min(0.5, width / 10), rect = { x: x + inset, y: y + 0.5, width: width - 2 * inset, height: tall - 0.5 };
    if (b.ringOf[i]) g.classList.add("tl-ring");
    if (i === view.chosen) g.classList.add("selected");
    if (view.step !== null && b.begin[i] <= view.step && view.step < b.end[i]) g.classList.add("held-now");
    t.shape(g, "title", null, {}).textContent = describe(i);
    t.shape(g, "rect", "tl-body", rect);
    if (b.kind[i] !== 0) t.shape(g, "rect", "tl-pattern", rect);
    if (b.end[i] === b.last[i] + 2)
      t.shape(g, "rect", "tl-dying", { x: x + width - view.kx, y: y + 0.5, width: Math.max(view.kx - inset, 0), height: tall - 0.5 });
    this.label(g, i, x, y, (b.last[i] + 1 - b.begin[i]) * view.kx, tall);
  };

  function area(x, y, wide, tall) {
    return "M" + x.toFixed(2) + " " + y.toFixed(2) + "h" + wide.toFixed(2) + "v" + tall.toFixed(2) + "h-" + wide.toFixed(2) + "z";
  }

  /* The bytes written so far against those still to be read, part by part of the op's
     steps: they never meet. A straight stair takes a byte after the other. */
  Region.prototype.stair = function (o, left, written) {
    var x = o.from * view.kx - left, straight = o.parts === 1, parts = o.stair;
    var n = straight ? 32 : o.parts / 2, step = view.kx / n, down = o.descending === 1;
    var below = written !== down, base = this.y(below ? o.begin : o.end).toFixed(2), d = "M" + x.toFixed(2) + " " + base;
    for (var k = 0; k < n; k++) {
      var part = (o.end - o.begin) * (k + 1) / n;
      var at = straight ? (down ? o.end - part : o.begin + part) : parts[2 * k + (written ? 0 : 1)];
      d += "V" + this.y(Math.max(o.begin, Math.min(o.end, at))).toFixed(2) + "h" + step.toFixed(3);
    }
    return d + "V" + base + "Z";
  };

  Region.prototype.overlaps = function (parent, list, left) {
    var g = t.shape(parent, "g", "tl-overlaps", {}), self = this, plan = view.plan, paths = {};
    function put(look, d) { paths[look] = (paths[look] || "") + d; }
    list.forEach(function (i) {
      for (var k = plan.over.first[i]; k >= 0; k = plan.over.next[k]) {
        var o = plan.overlaps[k], y = self.y(o.end), now = o.from <= view.step && view.step < o.to ? " held-now" : "";
        var stairs = o.parts > 0 && view.kx >= 4;
        put("tl-overlap" + (stairs ? "" : view.kx < 2 ? " tl-whole tl-fine" : " tl-whole") + now, area(o.from * view.kx - left, y, (o.to - o.from) * view.kx, Math.max(self.y(o.begin) - y, 1)));
        if (!stairs) continue;
        put("tl-written" + now, self.stair(o, left, true));
        put("tl-unread" + now, self.stair(o, left, false));
      }
    });
    Object.keys(paths).sort().forEach(function (look) { t.shape(g, "path", look, { d: paths[look] }); });
  };

  /* Rectangles of one look as one path. */
  Region.prototype.rows = function (parent, rows, from, to, left, group, className, inset) {
    var d = "";
    for (var i = 0; i < rows.n; i++) {
      if (rows.region[i] !== this.id || rows.begin[i] >= to || rows.end[i] <= from) continue;
      var y = this.y(rows.offset[i] + rows.bytes[i]) + inset, tall = this.y(rows.offset[i]) - y - inset;
      var wide = (rows.end[i] - rows.begin[i]) * view.kx - 2 * inset;
      if (tall >= 0.4 && wide >= 0.4) d += area(rows.begin[i] * view.kx - left + inset, y, wide, tall);
    }
    if (d) t.shape(t.shape(parent, "g", group, {}), "path", className, { d: d });
  };

  /* What alignment adds to a buffer; boxes lie over what others have of it. */
  Region.prototype.paddings = function (parent, list, left) {
    var align = t.regions[this.id].align, b = view.plan.boxes, d = "";
    for (var k = 0; k < list.length && align > 1; k++) {
      var i = list[k], end = b.offset[i] + b.bytes[i], up = Math.ceil(end / align) * align, y = this.y(up);
      var tall = this.y(end) - y;
      if (tall >= 0.4) d += area(b.begin[i] * view.kx - left, y, (b.end[i] - b.begin[i]) * view.kx, tall);
    }
    if (d) t.shape(t.shape(parent, "g", "tl-paddings", {}), "path", "tl-padding", { d: d });
  };

  /* Too many for an element each: a path for every look, and nothing twice. */
  Region.prototype.crowd = function (parent, list, left) {
    var paths = {}, seen = new Set(), b = view.plan.boxes, dying = "", special = [];
    var g = t.shape(parent, "g", "tl-boxes tl-crowd", {}), labels = t.shape(parent, "g", "tl-boxes", {});
    for (var k = 0; k < list.length; k++) {
      var i = list[k], x = b.begin[i] * view.kx - left, wide = (b.end[i] - b.begin[i]) * view.kx;
      var y = this.y(b.offset[i] + b.bytes[i]), tall = Math.max(this.y(b.offset[i]) - y, 1);
      if (wide < 2) {
        var key = Math.round(x) + " " + Math.round(y) + " " + Math.round(y + tall);
        if (seen.has(key)) continue;
        seen.add(key);
        wide = Math.max(wide, 0.6);
      } else if (b.end[i] === b.last[i] + 2) {
        dying += area(x + wide - view.kx, y, view.kx, tall);
      }
      if (i === view.chosen || b.begin[i] <= view.step && view.step < b.end[i]) special.push(i);
      var look = boxClass(view.plan, i);
      paths[look] = (paths[look] || "") + area(x, y, wide, tall);
      if (wide >= 26 && tall >= 13) this.label(labels, i, x, y, (b.last[i] + 1 - b.begin[i]) * view.kx, tall);
    }
    Object.keys(paths).sort().forEach(function (look) {
      var group = t.shape(g, "g", look, {});
      t.shape(group, "path", "tl-body", { d: paths[look] });
      if (look.indexOf("tl-activation") < 0) t.shape(group, "path", "tl-pattern", { d: paths[look] });
    });
    t.shape(g, "path", "tl-dying", { d: dying });
    if (special.length <= MANY) for (k = 0; k < special.length; k++) this.box(labels, special[k], left);
  };

  Region.prototype.grid = function (parent, from, to, left) {
    var g = t.shape(parent, "g", "tl-grid", {}), tick = this.tick(), self = this, d = "";
    if (2 * view.kx >= 6)
      for (var p = Math.ceil(Math.max(from, 0) / 2); 2 * p <= Math.min(to, t.steps); p++)
        d += "M" + (2 * p * view.kx - left).toFixed(2) + " " + TOP + "v" + PLOT;
    t.shape(g, "path", "tl-op", { d: d });
    this.ticks(tick, function (at) {
      t.shape(g, "line", at ? "" : "tl-zero", { x1: 0, x2: self.width, y1: self.y(at), y2: self.y(at) });
    });
  };

  Region.prototype.tick = function () {
    for (var tick = 1; tick < this.bytes / view.zoomY / 9;) tick *= 2;
    return tick;
  };

  Region.prototype.ticks = function (tick, fn) {
    var per = PLOT * view.zoomY / this.bytes, lowest = (PLOT * (view.zoomY - 1) - this.top) / per;
    for (var at = Math.ceil(lowest / tick) * tick; at <= this.bytes && this.y(at) >= TOP - 0.5; at += tick) fn(at);
  };

  Region.prototype.drawAxis = function () {
    var self = this, tick = this.tick();
    this.axis.textContent = "";
    function put(className, y, text) {
      t.shape(self.axis, "text", className, { x: axisWidth - 8, y: y }).textContent = text;
    }
    this.ticks(tick, function (at) { put("tl-tick", self.y(at) + 4, self.tickWords(at, tick)); });
    put("tl-unit", 12, "bytes");
    put("tl-unit", TOP + PLOT + 15, "op");
    if (!mostConstants || this.id) return;
    put("tl-unit", TOP + PLOT + RULER + STRIP_GAP + 12, "constants");
    put("tl-unit", TOP + PLOT + RULER + STRIP_GAP + 25, "read");
  };

  /* Numbers of ops, as many as find room, and bars for the constants that each reads. */
  Region.prototype.ruler = function (from, to, left) {
    var free = -Infinity, bars = "", base = TOP + PLOT + RULER + STRIP_GAP + STRIP;
    var g = t.shape(this.under, "g", "tl-ruler", {});
    for (var p = Math.max(0, Math.floor(from / 2)); p < t.ops.length && 2 * p < to; p++) {
      var x = 2 * p * view.kx - left, half = 4 + 3.5 * String(p).length, peak = p === t.peak;
      if (x + view.kx - half >= free || peak) {
        if (peak) g.querySelectorAll(".tl-num").forEach(function (n) {
          if (Number(n.getAttribute("x")) > x + view.kx - 2 * half) n.remove();
        });
        t.shape(g, "text", peak ? "tl-num tl-num-peak" : "tl-num", { x: x + view.kx, y: TOP + PLOT + 15 }).textContent = p;
        free = x + view.kx + half;
      }
      if (this.id || !constants[p] || 2 * view.kx < 0.5) continue;
      var tall = Math.max(STRIP * constants[p] / mostConstants, 1), gap = Math.min(1, view.kx / 4);
      bars += area(x + gap, base - tall, 2 * view.kx - 2 * gap, tall);
    }
    t.shape(g, "path", "tl-const", { d: bars });
    if (mostConstants && !this.id)
      t.shape(g, "line", "tl-zero", { x1: 0, x2: this.width, y1: base, y2: base });
  };

  /* Words in as many lines as they need. */
  function wrapped(words, columns) {
    var lines = [words[0]];
    words.slice(1).forEach(function (word) {
      var last = lines[lines.length - 1] + " " + word;
      if (last.length > columns) lines.push(word);
      else lines[lines.length - 1] = last;
    });
    return lines;
  }

  /* Equal lines have one label: above its line, beside that of the line before, or where
     there is no room for it below, in several lines. */
  Region.prototype.marks = function () {
    var self = this, marks = marksOf(this.id), lastY = -1e9, lastEnd = 0, free = 0, LETTER = 7;
    function put(x, y, text) { t.shape(self.fixed, "text", "tl-mark-name", { x: x, y: y }).textContent = text; }
    this.fixed.textContent = "";
    marks.forEach(function (m, i) {
      if (i && marks[i - 1].exact === m.exact) return;
      if (m.bytes > self.bytes) {
        t.shape(self.fixed, "text", "tl-mark-name tl-beyond", { x: self.room - 6, y: 13 }).textContent =
          m.name + " " + t.bytes(m.exact) + ", above the picture";
        return;
      }
      var y = self.y(m.bytes), x = 6, names = marks.slice(i).filter(function (n) { return n.exact === m.exact; });
      if (y < TOP - 1 || y > TOP + PLOT + 1) return;
      t.shape(self.fixed, "line", "tl-mark tl-" + m.kind, { x1: 0, x2: self.room, y1: y, y2: y });
      var words = names.map(function (n, k) { return n.name + (k + 1 < names.length ? " =" : ""); }).concat([t.bytes(m.exact)]);
      var text = words.join(" ");
      if (Math.abs(y - lastY) < 14) x = lastEnd + 14;
      if (x + LETTER * text.length > self.room || y - 16 < free) {
        free = Math.max(free, y);
        wrapped(words, Math.floor((self.room - 12) / LETTER)).forEach(function (line) { put(6, free += 13, line); });
      } else put(x, y - 5, text);
      lastY = y;
      lastEnd = x + LETTER * text.length;
    });
  };

  /* Draws more than what is in sight, to both sides, so that the browser can scroll it
     without a word from here as long as that is enough; less of it while one zooms. */
  Region.prototype.draw = function () {
    if (this.node.hidden) return;
    var scrolled = this.left = this.scroller.scrollLeft, top = this.top = this.scroller.scrollTop, d = this.drawn;
    var slack = this.room * 0.15;
    if (!d || d.plan !== view.plan || d.kx !== view.kx || d.zoomY !== view.zoomY || d.top !== top ||
        d.chosen !== view.chosen || d.step !== view.step || d.left > Math.max(0, scrolled - slack) ||
        d.left + d.width < Math.min(this.whole, scrolled + this.room + slack)) {
      var more = (view.zooming ? 0.2 : 0.6) * this.room;
      var left = Math.max(0, scrolled - more), width = Math.min(this.whole - left, this.room + 2 * more);
      var from = left / view.kx, to = (left + width) / view.kx;
      var list = boxesBetween(view.plan, this.id, from, to), layers = this.layers;
      this.width = width;
      this.svg.setAttribute("width", width);
      this.svg.setAttribute("viewBox", "0 0 " + width + " " + height);
      this.svg.style.marginLeft = left + "px";
      this.world.setAttribute("width", width);
      layers.textContent = this.under.textContent = "";
      if (t.peak >= 0 && view.plan === t.plans[0])
        t.shape(layers, "rect", "tl-peak-op", { x: 2 * t.peak * view.kx - left, y: TOP - 10,
          width: Math.max(2 * view.kx, 1), height: PLOT + 10 });
      view.plan.streams.forEach(function (s) {
        t.shape(layers, "rect", "tl-stream", { x: 2 * s.first * view.kx - left, y: TOP - 10, width: 2 * s.ops * view.kx,
          height: PLOT + 10 });
      });
      this.grid(layers, from, to, left);
      this.rows(layers, view.plan.gaps, from, to, left, "tl-gaps", "tl-gap", 0);
      if (list.length > MANY) {
        this.crowd(layers, list, left);
      } else {
        this.paddings(layers, list, left);
        var g = t.shape(layers, "g", "tl-boxes", {});
        for (var k = 0; k < list.length; k++) this.box(g, list[k], left);
      }
      this.overlaps(layers, list, left);
      this.rows(layers, view.plan.views, from, to, left, "tl-views", "tl-view", 2);
      this.ruler(from, to, left);
      if (!d || d.plan !== view.plan || d.zoomY !== view.zoomY || d.top !== top || d.room !== this.room) {
        this.marks();
        this.drawAxis();
      }
      this.cursor.setAttribute("x", view.step === null ? -9 : view.step * view.kx - left);
      this.cursor.setAttribute("width", Math.max(view.kx, 1.5));
      this.drawn = { plan: view.plan, kx: view.kx, zoomY: view.zoomY, top: top, left: left, width: width,
        chosen: view.chosen, step: view.step, room: this.room };
    }
  };

  /* The box drawn last at a point of the picture. */
  Region.prototype.at = function (event) {
    var r = this.svg.getBoundingClientRect(), b = view.plan.boxes, found = null, self = this;
    var step = (event.clientX - r.left + this.drawn.left) / view.kx, y = event.clientY - r.top;
    boxesBetween(view.plan, this.id, step - 2 / view.kx, step + 2 / view.kx).forEach(function (i) {
      if (self.y(b.offset[i] + b.bytes[i]) - 1.5 <= y && y <= self.y(b.offset[i]) + 1.5) found = i;
    });
    return found;
  };

  /* The next box in time, or the nearest one above or below at the same time. */
  Region.prototype.neighbour = function (key) {
    var b = view.plan.boxes, i = view.chosen, best = null;
    if (i === null || b.region[i] !== this.id) {
      var list = t.peak < 0 ? [] : boxesBetween(view.plan, this.id, 2 * t.peak, 2 * t.peak + 2);
      if (!list.length) list = boxesBetween(view.plan, this.id, 0, t.steps).slice(0, 1);
      return list.length ? list[list.length - 1] : null;
    }
    if (key === "ArrowRight" || key === "ArrowLeft") {
      var by = key === "ArrowRight" ? 1 : -1;
      for (i += by; i >= 0 && i < b.n; i += by) if (b.region[i] === this.id) return i;
      return null;
    }
    boxesBetween(view.plan, this.id, b.begin[i], b.end[i]).forEach(function (k) {
      var up = b.offset[k] - b.offset[i] || k - i;
      if (key === "ArrowDown") up = -up;
      if (up > 0 && (best === null || up < best.up)) best = { up: up, box: k };
    });
    return best && best.box;
  };

  Region.prototype.reveal = function (i) {
    var b = view.plan.boxes, s = this.scroller, x = b.begin[i] * view.kx, y = this.y(b.offset[i] + b.bytes[i]);
    if (x < s.scrollLeft || x > s.scrollLeft + this.room - 20) s.scrollLeft = Math.max(0, x - this.room / 3);
    if (y < TOP || y > TOP + PLOT) s.scrollTop += y - TOP - PLOT / 2;
  };

  t.picture = {
    view: view, regions: regions, Region: Region, plot: PLOT, height: height, index: index, axes: axes,
    describe: describe, axisWidth: function () { return axisWidth; }
  };
})();
