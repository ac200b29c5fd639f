/* What one does with the page: the step, the chosen buffer, the plan to compare with. */
(function () {
  "use strict";
  var t = tenure, line = t.timeline;
  function id(name) { return document.getElementById(name); }

  var slider = id("step"), cards = id("cards");

  /* A row of the card; the value is text or a node. */
  function row(list, what) {
    var dd = t.element("dd");
    list.appendChild(t.element("dt", null, what));
    list.appendChild(dd);
    return dd;
  }

  function add(node) {
    for (var i = 1; i < arguments.length; i++)
      node.appendChild(typeof arguments[i] === "string" ? document.createTextNode(arguments[i]) : arguments[i]);
    return node;
  }

  /* A tensor's name inside a sentence of the card, whose heading has all of it. */
  function named(node, name) {
    node.textContent = t.shorten(t.brief(name), 64);
    node.title = t.whole(name);
    return node;
  }
  function tensorName(id) { return named(t.element("span"), t.tensors[id].name); }
  function boxLink(box) { return named(t.link(box, ""), t.boxName(line.view.plan, box)); }

  function opNames(list, none) {
    if (!list.length) return none;
    var shown = list.slice(0, 40).map(function (p) { return t.opLabel(p); }).join(", ");
    return list.length > 40 ? shown + " and " + t.number(list.length - 40) + " more" : shown;
  }

  function membersOf(plan, box) {
    var list = [];
    plan.of.forEach(function (b, tensor) { if (b === box) list.push(tensor); });
    return list;
  }

  function merged(members, key) {
    var all = [];
    members.forEach(function (m) { all = all.concat(t.usesOf(m)[key]); });
    return all.sort(function (a, b) { return a - b; }).filter(function (p, i) { return !i || all[i - 1] !== p; });
  }

  function shares(list, plan, box) {
    var dd = null;
    plan.overlaps.forEach(function (o) {
      if (o.under !== box && o.over !== box) return;
      var other = o.over === box ? o.under : o.over;
      dd = dd || row(list, "Shares bytes");
      dd.appendChild(add(t.element("p"), t.bytes(t.minus(o.exact("end"), o.exact("begin"))), o.over === box ? ", written over " : ", given up to ",
        boxLink(other), " at " + t.opLabel(o.op)));
    });
  }

  /* Of a buffer that is in a chain: its ring, and what the chain does, row by row. */
  function rowsWords(e) {
    var last = e.row + e.rows - 1;
    return (e.op < 0 ? "the caller" : t.opLabel(e.op)) + ": row" + (e.rows === 1 ? " " + e.row : "s " + e.row + " to " + last) +
      (e.step ? ", each time " + t.number(Math.abs(e.step)) + (e.step < 0 ? " back" : " on") : "");
  }
  function streaming(node, list, plan, box) {
    var b = plan.boxes, ring = t.exact(b.ringOf, box);
    if (ring) add(row(list, "Ring"), t.bytes(t.boxBytes(plan, box)) + ", in which the rows of the value, " + t.bytes(ring) +
      ", come round");
    plan.streams.forEach(function (s) {
      if (b.begin[box] >= 2 * (s.first + s.ops) || b.end[box] <= 2 * s.first) return;
      var used = b.tensor[box] < 0 ? [b.op[box]] : merged(membersOf(plan, box), "writers").concat(merged(membersOf(plan, box), "readers"));
      if (!used.some(function (p) { return p >= s.first && p < s.first + s.ops; })) return;
      var part = t.element("section", "judgement stream"), events = t.element("ol", "plain");
      part.appendChild(t.element("h4", null, "Row by row: the chain of ops " + s.first + " to " + (s.first + s.ops - 1)));
      s.loops.slice(0, 20).forEach(function (loop) {
        var item = t.element("li", null, loop.times === 1 ? "once" : t.number(loop.times) + " times"), steps = t.element("ol");
        loop.events.slice(0, 40).forEach(function (e) { steps.appendChild(t.element("li", null, rowsWords(e))); });
        if (loop.events.length > 40) steps.appendChild(t.element("li", "muted", "and " + t.number(loop.events.length - 40) + " more"));
        item.appendChild(steps);
        events.appendChild(item);
      });
      if (s.loops.length > 20) events.appendChild(t.element("li", "muted", "and " + t.number(s.loops.length - 20) + " more"));
      part.appendChild(events);
      node.appendChild(part);
    });
  }

  /* What was decided about it: may an op write over it, may it be written over another? */
  function judgements(card, members) {
    var seen = [];
    members.forEach(function (m) {
      t.decisionsOf(m).forEach(function (d) { if (seen.indexOf(d) < 0) seen.push(d); });
    });
    seen.sort(function (a, b) { return a.op - b.op; });
    seen.slice(0, 12).forEach(function (d) {
      var box = t.element("section", "judgement"), list = t.element("dl"), w = d.witness;
      var title = t.element("h4", null, "In place at " + t.opLabel(d.op) + "? ");
      title.appendChild(t.element("span", "tag tag-" + d.verdict, d.verdict));
      box.appendChild(title);
      add(row(list, "Input, output"), tensorName(d.input), " \u2192 ", tensorName(d.output));
      add(row(list, d.verdict === "proved" ? "Why" : "Why not"), t.why(d));
      if (d.obligation) add(row(list, "Obligation"), t.obligations[d.obligation].join(": "));
      if (w) add(row(list, "Witness"), "writer " + (w.writer < 0 ? "none" : t.opLabel(w.writer)) + "; victim ",
        w.victim < 0 ? "none" : tensorName(w.victim), ", bytes [" + t.number(w.exact("begin")) + ", " + t.number(w.exact("end")) + "); reader " +
        (w.reader < 0 ? "the caller" : t.opLabel(w.reader)));
      if (d.rule) add(row(list, "Legal overlap"), d.rule);
      add(row(list, "Would save"), t.bytes(d.exact("saves")));
      add(row(list, "In the plan"), d.shared ? d.how + ", " + t.bytes(d.exact("shared")) : "apart");
      if (t.chainWords(d.op)) add(row(list, "In a chain"), t.chainWords(d.op));
      if (d.variant >= 0) add(row(list, "Rests on"), t.rests(d));
      box.appendChild(list);
      card.appendChild(box);
    });
    if (seen.length > 12) card.appendChild(t.element("p", "muted", t.number(seen.length - 12) + " more in the table of decisions."));
  }

  function card(box) {
    var plan = line.view.plan, b = plan.boxes, node = t.element("article", "card shown"), list = t.element("dl");
    var tensor = b.tensor[box], members = membersOf(plan, box), kind = t.kinds[b.kind[box]];
    node.dataset.card = box;
    node.id = "b" + box;
    node.appendChild(add(t.element("h3"), t.boxName(plan, box) + " ", t.element("span", "tag", kind)));
    if (tensor >= 0) add(row(list, "Shape"), t.tensors[tensor].shape + " of " + t.tensors[tensor].dtype);
    add(row(list, "Place"), t.number(t.boxOffset(plan, box)) + " to " + t.number(t.boxEnd(plan, box)) + ", " + t.bytes(t.boxBytes(plan, box)) +
      (t.regions.length > 1 ? ", region " + t.regions[b.region[box]].name : ""));
    add(row(list, "Taken"), "half-steps " + b.begin[box] + " to " + b.last[box] +
      (b.end[box] > b.last[box] + 1 ? ", and there while its last reader writes" : ""));
    if (tensor < 0) {
      add(row(list, "Used by"), t.opLabel(b.op[box]));
      node.appendChild(list);
      streaming(node, list, plan, box);
      return node;
    }
    var readers = merged(members, "readers"), longest = members[0];
    members.forEach(function (m) { if (t.tensors[m].last > t.tensors[longest].last) longest = m; });
    add(row(list, "Written by"), opNames(merged(members, "writers"), "the caller, before the run"));
    add(row(list, "Read by"), opNames(readers, "nobody in the graph"));
    if (readers.length) add(row(list, "Last read"), t.opLabel(readers[readers.length - 1]));
    add(row(list, "Why it stays"), t.lifeWords(longest));
    var views = members.filter(function (m) { return m !== tensor; });
    if (views.length) add(row(list, "Seen through"), views.slice(0, 40).map(function (m) { return t.tensors[m].name; }).join(", "));
    if (b.chain[box] >= 0) {
      var chain = [];
      for (var i = 0; i < b.n && chain.length < 40; i++) if (b.chain[i] === b.chain[box] && i !== box) chain.push(i);
      var dd = row(list, "In-place chain");
      chain.forEach(function (c, k) { add(dd, k ? ", " : "", boxLink(c)); });
    }
    shares(list, plan, box);
    node.appendChild(list);
    streaming(node, list, plan, box);
    if (plan === t.plans[0]) judgements(node, members);
    return node;
  }

  function showCard(box) {
    cards.textContent = "";
    if (box === null) {
      id("said").textContent = "";
      var hint = t.element("article", "card card-hint shown");
      hint.appendChild(t.element("h3", null, "No buffer chosen"));
      hint.appendChild(t.element("p", "muted", "Choose one in the timeline: who writes it, who reads it last, why its bytes " +
        "are not free earlier, which bytes it shares, and what was decided about writing over it."));
      cards.appendChild(hint);
      return;
    }
    cards.appendChild(card(box));
    id("said").textContent = t.boxName(line.view.plan, box) + ", " + t.bytes(t.boxBytes(line.view.plan, box)) + " at " +
      t.number(t.boxOffset(line.view.plan, box));
  }
  line.onChoice(showCard);

  /* The arena from its first byte on the left: what lies there at this half-step; below, in
     a second lane, what an op is writing over it. */
  function slice(list, step) {
    var node = id("slice"), plan = line.view.plan, b = plan.boxes, W = 1000;
    node.textContent = "";
    t.regions.forEach(function (r, region) {
      var here = list.filter(function (i) { return b.region[i] === region; }), most = 1;
      for (var i = 0; i < b.n; i++) if (b.region[i] === region) most = Math.max(most, b.offset[i] + b.bytes[i]);
      if (!here.length) return;
      var svg = t.shape(node, "svg", "tl-svg slice", { viewBox: "0 0 " + W + " 36", preserveAspectRatio: "none", "aria-hidden": "true" });
      t.shape(svg, "rect", "slice-free", { width: W, height: 36 });
      here.forEach(function (i) {
        var fresh = b.begin[i] === step && step % 2 === 1;
        var g = t.shape(svg, "g", "tl-box tl-" + t.kinds[b.kind[i]] + (b.chain[i] >= 0 ? " tl-chain" + b.chain[i] % 6 : " tl-shade" + i % 3), {});
        var box = { x: b.offset[i] / most * W, width: Math.max(b.bytes[i] / most * W, 1), y: fresh ? 19 : 1, height: 16 };
        t.shape(g, "rect", "tl-body", box);
        if (b.kind[i]) t.shape(g, "rect", "tl-pattern", box);
      });
    });
  }

  function show(step, quiet) {
    var plan = line.view.plan, list = t.heldAt(plan, step), held = id("held"), b = plan.boxes, words = t.stepWords(step);
    slider.value = step;
    slider.setAttribute("aria-valuetext", words);
    id("step-now").textContent = "half-step " + step + ": " + words + "; " + t.number(list.length) +
      (list.length === 1 ? " buffer, " : " buffers, ") + t.bytes(t.taken(plan, list));
    held.textContent = "";
    list.sort(function (x, y) { return t.compare(t.boxOffset(plan, y), t.boxOffset(plan, x)) || x - y; }).slice(0, 200).forEach(function (i) {
      held.appendChild(add(t.element("li"), boxLink(i),
        t.element("span", null, t.bytes(t.boxBytes(plan, i)) + " at " + t.number(t.boxOffset(plan, i)))));
    });
    if (list.length > 200) held.appendChild(t.element("li", "muted", "and " + t.number(list.length - 200) + " more"));
    slice(list, step);
    line.setStep(step, quiet);
    document.querySelectorAll("#ops tr.selected").forEach(function (r) { r.classList.remove("selected"); });
    var row = quiet ? null : document.querySelector("#ops tr[data-op='" + Math.floor(step / 2) + "']");
    if (row) row.classList.add("selected");
  }
  slider.addEventListener("input", function () { show(Number(slider.value)); });

  function toTimeline() { id("h-timeline").scrollIntoView(); }

  document.addEventListener("click", function (event) {
    var a = event.target.closest("a[href^='#b']"), op = event.target.closest("tr[data-op]");
    if (a && !a.closest(".scroller")) {
      var box = Number(a.getAttribute("href").slice(2));
      event.preventDefault();
      if (!a.closest("#held, #cards") && line.view.plan !== t.plans[0]) choosePlan(0);
      line.choose(box);
      line.reveal(box);
      history.replaceState(null, "", "#b" + box);
      if (!a.closest("#held, #cards")) toTimeline();
    } else if (op) {
      show(2 * Number(op.dataset.op) + 1);
      line.goTo(2 * Number(op.dataset.op) + 1);
    }
  });

  document.addEventListener("keydown", function (event) {
    if (event.key !== "Escape") return;
    line.choose(null);
    show(Number(slider.value), true);
  });

  function choosePlan(k) {
    Array.prototype.forEach.call(id("compare").children, function (b, i) { b.setAttribute("aria-pressed", String(i === k)); });
    line.setPlan(t.plans[k]);
    id("plan-note").textContent = k === 0 ? "" : t.plans[k].name + ": " + t.bytes(t.plans[k].exact) + ", the plan needs " +
      t.bytes(t.plans[0].exact) + ". " + (t.plans[k].id === "none" ? "Every tensor has memory of its own."
      : "The best plan found in which no two tensors that are alive share a byte.");
    show(Number(slider.value), true);
  }
  t.plans.forEach(function (p, k) {
    var button = t.element("button", null, p.name);
    button.type = "button";
    button.dataset.plan = p.id;
    button.setAttribute("aria-pressed", String(k === 0));
    button.addEventListener("click", function () { choosePlan(k); });
    id("compare").appendChild(button);
  });
  id("compare").hidden = t.plans.length < 2;

  id("zoom-in").addEventListener("click", function () { line.zoom(1.6, 0); });
  id("zoom-out").addEventListener("click", function () { line.zoom(1 / 1.6, 0); });
  id("taller").addEventListener("click", function () { line.zoom(2, 1); });
  id("flatter").addEventListener("click", function () { line.zoom(0.5, 1); });
  id("fit").addEventListener("click", function () { line.fit(); });
  id("to-peak").addEventListener("click", function () {
    show(2 * t.peak + 1);
    line.goTo(2 * t.peak + 1);
  });
  id("to-peak").hidden = t.peak < 0;

  t.tables.decisions(id("decisions"));
  if (t.ops.length) {
    t.tables.roofline(id("roofline"));
    t.tables.ops(id("ops"));
  } else {
    id("ops").appendChild(t.element("p", "muted", "The graph has no ops."));
  }
  t.tables.tensors(id("tensors"));

  if (t.plans[0].streams.length) id("run-order").textContent += "; those of a chain row by row, as its events say";

  /* What the shared bytes rest on, each once. */
  var rests = {}, times = new Map();
  t.decisions.forEach(function (d) {
    if (!d.shared || d.variant < 0) return;
    var key = t.ops[d.op].kind * 64 + d.variant, seen = times.get(key);
    if (seen) seen.n++;
    else times.set(key, { n: 1, text: t.rests(d) });
  });
  times.forEach(function (seen) { rests[seen.text] = (rests[seen.text] || 0) + seen.n; });
  Object.keys(rests).sort().forEach(function (text) {
    id("assumptions").appendChild(t.element("li", null, text + (rests[text] > 1 ? " (" + rests[text] + " times)" : "")));
  });

  showCard(null);
  line.start();
  slider.max = t.steps - 1;
  if (t.plans[0].boxes.n) {
    show(t.peak < 0 ? 0 : 2 * t.peak + 1, true);
    if (/^#b\d+$/.test(location.hash) && Number(location.hash.slice(2)) < t.plans[0].boxes.n) {
      line.choose(Number(location.hash.slice(2)));
      line.reveal(line.view.chosen);
      toTimeline();
    }
  } else {
    document.querySelectorAll(".stepper, .held, .tools").forEach(function (n) { n.hidden = true; });
  }
  window.tenureReady = true;
})();
