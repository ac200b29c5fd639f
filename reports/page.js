/* The page is complete without this: cards open as link targets, tables are all there.
   Here: the step slider, what is held at a step, selection, filters. Names are only ever
   copied as text. */
(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.remove("no-js");

  function all(selector) { return Array.prototype.slice.call(document.querySelectorAll(selector)); }
  function number(node, name) { return Number(node.getAttribute("data-" + name)); }
  function bytes(n) { return n.toString().replace(/\B(?=(\d{3})+$)/g, ",") + " B"; }

  var slider = document.getElementById("step");
  var now = document.getElementById("step-now");
  var held = document.getElementById("held");
  var boxes = all(".tl-box[data-box]");
  var overlaps = all(".tl-overlap[data-step]");
  var cursors = all(".tl-cursor");
  var opRows = all("#ops tbody tr");
  var plots = document.getElementById("timelines");
  var chosen = null;

  function boxName(box) { return box.querySelector("title").textContent.split(": ").slice(0, -1).join(": "); }

  function choose(id) {
    chosen = id;
    boxes.forEach(function (b) { b.classList.toggle("selected", b.getAttribute("data-box") === id); });
    all(".card[data-card]").forEach(function (c) { c.classList.toggle("shown", c.getAttribute("data-card") === id); });
  }

  function heldNow(step) {
    return boxes.filter(function (b) { return number(b, "begin") <= step && step < number(b, "end"); });
  }

  /* Bytes that hold something: shared ones count once. */
  function taken(list) {
    var sum = 0;
    var regions = {};
    list.forEach(function (b) {
      var key = b.closest("[data-region]").getAttribute("data-region");
      (regions[key] = regions[key] || []).push([number(b, "offset"), number(b, "offset") + number(b, "bytes")]);
    });
    Object.keys(regions).forEach(function (key) {
      var end = 0;
      regions[key].sort(function (a, b) { return a[0] - b[0]; }).forEach(function (r) {
        sum += Math.max(0, r[1] - Math.max(r[0], end));
        end = Math.max(end, r[1]);
      });
    });
    return sum;
  }

  function show(step, quiet) {
    var list = heldNow(step);
    var row = opRows[Math.floor(step / 2)];
    var op = row ? "op " + Math.floor(step / 2) + ", " + row.querySelector(".name").textContent +
      (step % 2 ? ", writes" : ", reads") : "the caller reads the outputs";
    slider.value = step;
    slider.setAttribute("aria-valuetext", op);
    now.textContent = "half-step " + step + ": " + op + "; " + list.length +
      (list.length === 1 ? " buffer, " : " buffers, ") + bytes(taken(list));
    plots.classList.toggle("stepping", !quiet);
    boxes.forEach(function (b) { b.classList.toggle("held-now", list.indexOf(b) >= 0); });
    overlaps.forEach(function (o) { o.classList.toggle("held-now", number(o, "step") === step); });
    cursors.forEach(function (c) { c.setAttribute("x", step * number(c, "width") * (c.ownerSVGElement.factor || 1)); });
    opRows.forEach(function (r) { r.classList.toggle("selected", !quiet && r === row); });
    held.textContent = "";
    list.slice().sort(function (a, b) { return number(b, "offset") - number(a, "offset"); }).forEach(function (b) {
      var item = document.createElement("li");
      var link = document.createElement("a");
      var place = document.createElement("span");
      link.href = "#b" + b.getAttribute("data-box");
      link.textContent = boxName(b);
      place.textContent = bytes(number(b, "bytes")) + " at " + bytes(number(b, "offset")).replace(" B", "");
      item.append(link, place);
      held.appendChild(item);
    });
  }

  slider.addEventListener("input", function () { show(Number(slider.value)); });

  document.addEventListener("click", function (event) {
    var link = event.target.closest("a[href^='#b']");
    var row = event.target.closest("#ops tbody tr");
    if (link) {
      event.preventDefault();
      choose(link.getAttribute("href").slice(2));
      history.replaceState(null, "", link.getAttribute("href"));
      if (!link.closest("#timelines, #held")) document.getElementById("h-timeline").scrollIntoView();
    } else if (row) {
      show(2 * opRows.indexOf(row) + 1);
    }
  });

  all("[data-filter]").forEach(function (button) {
    button.addEventListener("click", function () {
      var want = button.getAttribute("data-filter");
      all("[data-filter]").forEach(function (b) { b.setAttribute("aria-pressed", String(b === button)); });
      all("#decisions tbody tr").forEach(function (r) {
        r.hidden = want !== "" && r.getAttribute("data-verdict") !== want;
      });
    });
  });

  document.addEventListener("keydown", function (event) {
    if (event.key !== "Escape") return;
    choose(null);
    show(Number(slider.value), true);
  });

  /* Stretches the plot across, but not its letters. */
  var ACROSS = ["x", "x1", "x2", "width"];
  function stretch(svg, factor) {
    all("#" + svg.id + " *").forEach(function (node) {
      if (node.closest("defs")) return;
      if (!node.across) {
        node.across = {};
        ACROSS.forEach(function (a) { if (node.hasAttribute(a)) node.across[a] = Number(node.getAttribute(a)); });
        node.turned = /^translate\(([-\d.]+) ([-\d.]+)\)(.*)$/.exec(node.getAttribute("transform") || "");
      }
      Object.keys(node.across).forEach(function (a) { node.setAttribute(a, node.across[a] * factor); });
      if (node.turned) node.setAttribute("transform", "translate(" + node.turned[1] * factor + " " + node.turned[2] + ")" + node.turned[3]);
    });
    svg.setAttribute("width", number(svg, "width") * factor);
    svg.setAttribute("viewBox", "0 0 " + number(svg, "width") * factor + " " + svg.getAttribute("height"));
    svg.classList.toggle("tight", factor < 0.8);
    var free = -Infinity;
    svg.querySelectorAll(".tl-num").forEach(function (node) {
      var x = Number(node.getAttribute("x")), half = 4 + 3.5 * node.textContent.length;
      node.classList.toggle("crowded", x - half < free);
      if (x - half >= free) free = x + half;
    });
    svg.factor = factor;
    cursors.forEach(function (c) {
      if (svg.contains(c)) c.setAttribute("x", Number(slider.value) * number(c, "width") * factor);
    });
  }

  var fit = document.getElementById("fit");
  function fitAll() {
    var on = fit.getAttribute("aria-pressed") === "true";
    all(".tl-plot-svg").forEach(function (svg) {
      var room = svg.parentNode.clientWidth - svg.parentNode.querySelector(".tl-axis-svg").clientWidth - 2;
      stretch(svg, on && room > 0 ? room / number(svg, "width") : 1);
    });
  }
  fit.addEventListener("click", function () {
    fit.setAttribute("aria-pressed", String(fit.getAttribute("aria-pressed") !== "true"));
    fitAll();
  });
  window.addEventListener("resize", function () {
    if (fit.getAttribute("aria-pressed") === "true") fitAll();
  });

  if (/^#b\d+$/.test(location.hash)) {
    choose(location.hash.slice(2));
    document.getElementById("h-timeline").scrollIntoView();
  }
  if (boxes.length) show(Number(slider.getAttribute("data-start") || 0), true);
  else all(".stepper, .held").forEach(function (n) { n.hidden = true; });
  window.tenureReady = true;
})();
