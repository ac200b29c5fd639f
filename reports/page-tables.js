/* Tables that are sorted, searched and filtered; of long ones as many rows as are asked
   for. */
(function () {
  "use strict";
  var t = tenure;
  var FIRST = 200, MORE = 1000;

  /* columns: { label, value(row), draw(cell, row), number, title }; options: { search(row),
     filters: [[label, test(row)]], mark(row), label, open(row) } */
  function Table(parent, rows, columns, options) {
    var self = this;
    this.rows = rows;
    this.columns = columns;
    this.options = options;
    this.sorted = null;
    this.down = false;
    this.filter = null;
    this.text = "";
    this.limit = FIRST;

    var bar = t.element("div", "table-bar");
    if (options.filters) bar.appendChild(this.filterBar(options.filters));
    if (options.search) {
      var label = t.element("label", "search"), input = t.element("input");
      label.appendChild(t.element("span", "sr", "Search " + options.label));
      input.type = "search";
      input.placeholder = "Search";
      input.addEventListener("input", function () {
        self.text = input.value.toLowerCase();
        self.limit = FIRST;
        self.show();
      });
      label.appendChild(input);
      bar.appendChild(label);
    }
    this.count = t.element("span", "muted count");
    this.count.setAttribute("role", "status");
    bar.appendChild(this.count);
    parent.appendChild(bar);

    var wrap = t.element("div", "table-wrap"), table = t.element("table"), head = t.element("tr");
    this.wrap = wrap;
    wrap.tabIndex = 0;
    wrap.setAttribute("role", "region");
    wrap.setAttribute("aria-label", "Table of " + options.label);
    columns.forEach(function (column, k) {
      var th = t.element("th", column.number ? "num" : ""), button = t.element("button", "sort", column.label);
      th.scope = "col";
      if (column.title) button.title = column.title;
      button.type = "button";
      button.addEventListener("click", function () { self.sort(k); });
      th.appendChild(button);
      head.appendChild(th);
    });
    this.head = head;
    this.body = t.element("tbody");
    table.appendChild(t.element("thead"));
    table.firstChild.appendChild(head);
    table.appendChild(this.body);
    wrap.appendChild(table);
    parent.appendChild(wrap);
    this.more = t.element("button", "more");
    this.more.type = "button";
    this.more.addEventListener("click", function () {
      self.limit += MORE;
      self.show();
    });
    parent.appendChild(this.more);
    this.show();
  }

  Table.prototype.filterBar = function (filters) {
    var group = t.element("div", "filter"), self = this;
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Show");
    [["all", null]].concat(filters).forEach(function (f) {
      var button = t.element("button", null, f[0]);
      button.type = "button";
      button.dataset.filter = f[0] === "all" ? "" : f[0];
      button.setAttribute("aria-pressed", String(f[1] === null));
      button.addEventListener("click", function () {
        Array.prototype.forEach.call(group.children, function (b) { b.setAttribute("aria-pressed", String(b === button)); });
        self.filter = f[1];
        self.limit = FIRST;
        self.show();
      });
      group.appendChild(button);
    });
    return group;
  };

  Table.prototype.sort = function (k) {
    var column = this.columns[k];
    this.down = this.sorted === k ? !this.down : !!column.number;
    this.sorted = k;
    Array.prototype.forEach.call(this.head.children, function (th, i) {
      if (i === k) th.setAttribute("aria-sort", this.down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    }, this);
    this.show();
  };

  Table.prototype.chosen = function () {
    var self = this, rows = this.rows, value;
    if (this.filter) rows = rows.filter(this.filter);
    if (this.text) rows = rows.filter(function (row) { return self.options.search(row).toLowerCase().indexOf(self.text) >= 0; });
    if (this.sorted === null) return rows;
    value = this.columns[this.sorted].value;
    var by = this.down ? -1 : 1;
    return rows.map(function (row, i) { return { row: row, value: value(row), i: i }; }).sort(function (a, b) {
      if (a.value !== b.value) return (a.value < b.value ? -1 : 1) * by;
      return a.i - b.i;
    }).map(function (x) { return x.row; });
  };

  Table.prototype.show = function () {
    var rows = this.chosen(), self = this, part = document.createDocumentFragment();
    rows.slice(0, this.limit).forEach(function (row) {
      var tr = t.element("tr");
      if (self.options.mark) self.options.mark(tr, row);
      self.columns.forEach(function (column) {
        var td = t.element("td", column.number ? "num" : column.className || "");
        if (column.draw) column.draw(td, row);
        else td.textContent = column.number ? t.number(column.value(row)) : column.value(row);
        tr.appendChild(td);
      });
      part.appendChild(tr);
    });
    this.body.textContent = "";
    this.body.appendChild(part);
    /* rows that nobody sees need no layout, only about their height */
    var shown = Math.min(rows.length, this.limit);
    this.wrap.classList.toggle("long", shown >= FIRST);
    this.wrap.style.containIntrinsicSize = "auto " + (32 * shown + 32) + "px";
    this.count.textContent = rows.length === this.rows.length ? t.number(rows.length) + (rows.length === 1 ? " row" : " rows")
      : t.number(rows.length) + " of " + t.number(this.rows.length) + " rows";
    this.more.hidden = rows.length <= this.limit;
    this.more.textContent = "Show more (" + t.number(Math.min(this.limit, rows.length)) + " of " + t.number(rows.length) + ")";
  };

  function tensorCell(td, id, columns) {
    var code = t.element("code"), box = t.plans[0].of[id], name = t.tensors[id].name;
    var node = box >= 0 ? t.link(box, t.shorten(t.brief(name), columns)) : t.element("span", null, t.shorten(t.brief(name), columns));
    node.title = t.whole(name);
    code.appendChild(node);
    td.appendChild(code);
  }

  function opCell(td, position) {
    var code = t.element("code", null, t.shorten(t.ops[position].name, 30));
    code.title = t.whole(t.ops[position].name);
    td.appendChild(code);
  }

  /* A column of numbers, as they are in the data. */
  function exactly(label, name) {
    return { label: label, number: true, value: function (row) { return row.exact(name); } };
  }

  /* The same of what may be unknown, which the data have as a negative number. */
  function count(label, value, title, draw) {
    return { label: label, number: true, title: title, value: value, draw: function (td, row) {
      var n = value(row);
      td.textContent = n < 0 ? "not counted" : (draw || t.number)(n);
      if (n < 0) td.title = "it runs other ops, or its type or a size is not known";
    } };
  }
  function counts(label, name) { return count(label, function (row) { return row.exact(name); }); }

  function tag(td, verdict) { td.appendChild(t.element("span", "tag tag-" + verdict, verdict)); }

  function decisions(parent) {
    function verdict(v) { return [v, function (d) { return d.verdict === v; }]; }
    if (!t.decisions.length) {
      parent.appendChild(t.element("p", "muted", "No op of this graph could write over an input."));
      return;
    }
    t.decisionTable = new Table(parent, t.decisions, [
      { label: "in place?", value: function (d) { return d.verdict; }, draw: function (td, d) { tag(td, d.verdict); } },
      { label: "op", className: "name", value: function (d) { return d.op; }, draw: function (td, d) { opCell(td, d.op); } },
      { label: "input, output", className: "name", value: function (d) { return t.tensors[d.input].name; },
        draw: function (td, d) {
          tensorCell(td, d.input, 30);
          var to = t.element("span", "to");
          tensorCell(to, d.output, 30);
          td.appendChild(to);
        } },
      exactly("could save, B", "saves"),
      { label: "in the plan", className: "place", value: function (d) { return d.exact("shared"); }, draw: function (td, d) {
        td.textContent = d.shared ? d.how + ", " + t.bytes(d.exact("shared")) : "apart";
        if (!d.shared) td.className = "place muted";
      } },
      { label: "why", className: "why", value: function (d) { return t.why(d); }, draw: function (td, d) {
        td.textContent = (d.obligation ? "fails " + t.obligations[d.obligation][0] + ": " : "") + t.why(d);
        if (d.rule) td.appendChild(t.element("span", "note", "legal overlap: " + d.rule));
        if (t.chainWords(d.op)) td.appendChild(t.element("span", "note chain", "in a chain: " + t.chainWords(d.op)));
      } }
    ], {
      label: "decisions",
      filters: [verdict("proved"), verdict("overlap"), verdict("rejected")],
      search: function (d) { return t.ops[d.op].name + "\n" + t.tensors[d.input].name + "\n" + t.tensors[d.output].name + "\n" + t.why(d); },
      mark: function (tr, d) { tr.dataset.verdict = d.verdict; }
    });
  }

  /* The core that the roofline is drawn for: the board's. */
  var USUAL = 2, start = t.cores.map(function (c) { return c.name; }).indexOf(t.board ? t.board.cpu : "");
  var core = t.cores[start < 0 ? USUAL : start];
  var costs = t.regions.map(function (r) { return Math.max(r.cost, 1); });

  /* Not: an op that runs other ops, or whose sizes are not known; of a type that nobody
     knows, what it multiplies. */
  function sized(op) { return op.read >= 0 && op.written >= 0; }
  function counted(op) { return op.macs >= 0 && sized(op); }
  function moved(op) { return op.read + op.written; }
  function intensity(op) { return !counted(op) ? -1 : moved(op) ? op.macs / moved(op) : 0; }
  function ridge() { return core.macs / core.bytes; }

  /* Bytes, those of a region as often as each costs; constants count once. */
  function weight(op) {
    if (t.regions.length === 1) return (moved(op) - op.constants) * costs[0] + op.constants;
    return costs.reduce(function (sum, cost, r) {
      return sum + ((op.readBy[r] || 0) + (op.writtenBy[r] || 0)) * (cost - 1);
    }, moved(op));
  }
  function waiting(op) { return weight(op) / core.bytes; }
  function cycles(op) { return !counted(op) ? -1 : Math.ceil(Math.max(op.macs / core.macs, waiting(op))); }
  function bound(op) {
    if (!counted(op)) return "not counted";
    if (op.elided || !moved(op)) return "nothing moves";
    return op.macs / core.macs < waiting(op) ? "memory" : "compute";
  }

  function fraction(x) { return x === 0 ? "0" : x < 0.1 ? x.toPrecision(1) : x < 100 ? x.toFixed(1) : t.number(Math.round(x)); }

  function opTable(parent) {
    var several = t.regions.length > 1, arena = t.plans[0].boxes.n ? t.ops.reduce(function (m, o) { return Math.max(m, o.live); }, 1) : 1;
    var columns = [
      { label: "#", number: true, value: function (o) { return o.position; } },
      { label: "op", className: "name", value: function (o) { return o.name; }, draw: function (td, o) { opCell(td, o.position); } },
      { label: "type", value: function (o) { return o.type; }, draw: function (td, o) {
        td.textContent = t.shorten(o.type, 32);
        td.title = t.whole(o.type);
      } },
      { label: "live, B", number: true, value: function (o) { return o.exact("live"); }, draw: function (td, o) {
        td.textContent = t.number(o.exact("live"));
        var bar = t.shape(td, "svg", "row-bar", { viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" });
        t.shape(bar, "rect", "gauge-track", { width: 1000, height: 10 });
        t.shape(bar, "rect", "gauge-fill", { width: Math.round(1000 * o.live / arena), height: 10 });
      } },
      counts("MACs", "macs"),
      counts("read, B", "read"),
      counts("written, B", "written"),
      counts("constants, B", "constants"),
      count("MACs/B", intensity, "arithmetic intensity: multiplications for each byte read or written", fraction),
      { label: "bound by", value: bound, draw: function (td, o) {
        td.appendChild(t.element("span", "bound bound-" + bound(o).split(" ")[0], bound(o)));
      } },
      count("cycles, at least", cycles, "what the core's peak figures allow; kernels need more"),
      exactly("scratch, B", "scratch"),
      { label: "kernel runs", className: "name", value: function (o) { return o.kernel; } }
    ];
    if (several) t.regions.forEach(function (r, i) {
      function sum(o) { return sized(o) ? o.movedBy[i] : -1; }
      columns.splice(8 + i, 0, count("in " + r.name + ", B", sum));
    });
    t.opTable = new Table(parent, t.ops, columns, {
      label: "ops",
      filters: [["memory-bound", function (o) { return bound(o) === "memory"; }],
        ["compute-bound", function (o) { return bound(o) === "compute"; }]],
      search: function (o) { return o.name + "\n" + o.type; },
      mark: function (tr, o) {
        tr.dataset.op = o.position;
        if (o.position === t.peak) tr.className = "peak-row";
      }
    });
  }

  /* Intensity across, what the core can reach upwards, both in powers of two. */
  function drawRoofline(node) {
    var W = 560, H = 220, L = 46, B = 34, log = Math.log2;
    var points = t.ops.filter(function (o) { return !o.elided && counted(o) && o.macs && moved(o); });
    var xs = points.map(intensity).concat([ridge()]);
    var x0 = Math.floor(log(Math.min.apply(null, xs.slice(0, 50000)))) - 1, x1 = Math.ceil(log(Math.max.apply(null, xs.slice(0, 50000)))) + 2;
    var y1 = Math.ceil(log(core.macs)) + 1, y0 = Math.floor(log(Math.pow(2, x0) * core.bytes));
    function x(v) { return L + (log(v) - x0) / (x1 - x0) * (W - L - 24); }
    function y(v) { return H - B - (log(v) - y0) / (y1 - y0) * (H - B - 10); }
    function reach(i, cost) { return Math.min(core.macs, i * core.bytes / cost); }
    node.textContent = "";
    var svg = t.shape(node, "svg", "roof tl-svg", { viewBox: "0 0 " + W + " " + H, role: "img" });
    svg.setAttribute("aria-label", "Roofline of " + core.name + ": ops left of " + fraction(ridge()) + " MACs for each byte wait for memory");
    for (var k = x0; k <= x1; k++) {
      t.shape(svg, "line", "roof-grid", { x1: x(Math.pow(2, k)), x2: x(Math.pow(2, k)), y1: 10, y2: H - B });
      if ((k - x0) % 2 === 0)
        t.shape(svg, "text", "tl-num", { x: x(Math.pow(2, k)), y: H - B + 14 }).textContent = k < 0 ? "1/" + Math.pow(2, -k) : t.number(Math.pow(2, k));
    }
    for (k = y0; k <= y1; k += 2)
      t.shape(svg, "text", "tl-tick", { x: L - 6, y: y(Math.pow(2, k)) + 4 }).textContent = k < 0 ? "1/" + Math.pow(2, -k) : Math.pow(2, k);
    t.shape(svg, "text", "tl-num", { x: (W + L) / 2, y: H - 4 }).textContent = "multiply-accumulates for each byte moved";
    t.shape(svg, "text", "tl-unit", { x: L + 134, y: 9 }).textContent = "MACs a cycle, at most";
    var lo = Math.pow(2, x0), hi = Math.pow(2, x1), told = {};
    [1].concat(costs).forEach(function (cost, k) {
      var bend = ridge() * cost, from = Math.max(lo, Math.pow(2, y0) * cost / core.bytes);
      if (told[cost]) return;
      told[cost] = true;
      t.shape(svg, "path", cost === 1 ? "roof-line" : "roof-line roof-slow", { d: "M" + x(from) + " " + y(reach(from, cost)) + "L" + x(bend) + " " + y(core.macs) + (cost === 1 ? "L" + x(hi) + " " + y(core.macs) : "") });
      if (cost > 1) t.shape(svg, "text", "tl-num", { x: x(bend), y: y(core.macs) - 4 }).textContent = t.regions[k - 1].name;
    });
    points.slice(0, 2000).forEach(function (o) {
      var dot = t.shape(svg, "circle", "roof-dot roof-" + bound(o), { cx: x(intensity(o)), cy: y(o.macs / Math.max(o.macs / core.macs, waiting(o))), r: 4 });
      t.shape(dot, "title", null, {}).textContent = t.opLabel(o.position) + ": " + fraction(intensity(o)) + " MACs/B, " + bound(o) + "-bound";
    });
  }

  function roofline(parent) {
    var row = t.element("div", "roofline"), side = t.element("div", "roof-side"), picture = t.element("div", "roof-picture");
    var label = t.element("label", null, "Core "), select = t.element("select"), text = t.element("p", "muted");
    select.id = "core";
    label.htmlFor = "core";
    t.cores.forEach(function (c) { select.appendChild(t.element("option", null, c.name)); });
    select.selectedIndex = start < 0 ? USUAL : start;
    function time(sum) {
      var ms = sum / t.board.mhz / 1000;
      return ", " + (ms < 10 ? ms.toPrecision(2) : t.number(Math.round(ms))) + " ms at " + t.number(t.board.mhz) + " MHz";
    }
    function show() {
      core = t.cores[select.selectedIndex];
      var known = t.ops.filter(counted), without = t.ops.length - known.length;
      var running = known.filter(function (o) { return !o.elided && moved(o); });
      var memory = running.filter(function (o) { return bound(o) === "memory"; }).length;
      var sum = known.reduce(function (n, o) { return n + cycles(o); }, 0);
      var slow = t.regions.filter(function (r) { return r.cost > 1; });
      text.textContent = (!t.board ? "" : t.board.title + " has a " + t.board.cpu + (start < 0 ? ", for which there are no figures" : "") + ". ") +
        (core.estimate ? "Estimate. " : "") + "At most " + fraction(core.macs) + " MACs and " + fraction(core.bytes) +
        " bytes a cycle (" + core.source + "): an op with fewer than " + fraction(ridge()) + " MACs for each byte is memory-bound. " +
        slow.map(function (r) { return "A byte in " + r.name + " takes " + t.number(r.times) + " times as long. "; }).join("") +
        (without && !running.length ? "No op that runs is counted" : "That is " + memory + " of " + running.length + " ops that run" +
        (without ? ", without " + t.number(without) + (without === 1 ? " op that is" : " ops that are") + " not counted" : "") + ". By these figures all of them take " + t.number(sum) +
        " cycles or more" + (t.board && core.name === t.board.cpu ? time(sum) : "")) +
        ". Constants count as if they lay beside the core; flash with wait states is slower.";
      drawRoofline(picture);
      if (t.opTable) t.opTable.show();
    }
    select.addEventListener("change", show);
    side.appendChild(label);
    side.appendChild(select);
    side.appendChild(text);
    row.appendChild(side);
    row.appendChild(picture);
    parent.appendChild(row);
    show();
  }

  function tensorTable(parent) {
    function empty(x) { return x.exact("bytes") === 0 && x.region >= 0 && x.first <= x.last; }
    function placed(x) { return t.plans[0].of[x.id] >= 0 || empty(x); }
    function role(r) { return [r, function (x) { return x.role === r; }]; }
    function place(key) {
      return { label: key, number: true, value: function (x) { return placed(x) ? x.exact(key) : -1; },
        draw: function (td, x) { td.textContent = placed(x) ? t.number(x.exact(key)) : ""; } };
    }
    var roles = [], seen = {};
    t.tensors.forEach(function (x) { seen[x.role] = true; });
    ["activation", "input", "output", "variable", "constant", "scratch", "removed", "unused"].forEach(function (r) { if (seen[r]) roles.push(role(r)); });
    t.tensorTable = new Table(parent, t.tensors, [
      { label: "id", number: true, value: function (x) { return x.id; } },
      { label: "tensor", className: "name", value: function (x) { return x.name; }, draw: function (td, x) { tensorCell(td, x.id, 64); } },
      { label: "role", value: function (x) { return x.role; } },
      { label: "shape", value: function (x) { return x.shape; } },
      { label: "type", value: function (x) { return x.dtype; } },
      exactly("bytes", "bytes"),
      place("offset"), place("first"), place("last"),
      { label: "storage", value: function (x) { return x.root === x.id ? "" : t.tensors[x.root].name; }, draw: function (td, x) {
        if (t.regions.length > 1 && placed(x)) td.textContent = t.regions[x.region].name + " ";
        if (x.root !== x.id) td.textContent += "view of " + t.shorten(t.tensors[x.root].name, 48);
        if (x.role === "removed" || x.role === "unused") td.appendChild(t.element("span", "note", t.lifeWords(x.id)));
        if (empty(x)) td.appendChild(t.element("span", "note", "no bytes; " + t.lifeWords(x.id)));
      } }
    ], { label: "tensors", filters: roles.length > 1 ? roles : null, search: function (x) { return x.name + "\n" + x.shape; } });
  }

  t.tables = { decisions: decisions, ops: opTable, roofline: roofline, tensors: tensorTable };
})();
