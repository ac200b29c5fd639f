/* The timeline's frame: which part of the pictures is in sight, how large it is, what is
   chosen in it, the strip that shows all of it, and all of it on paper. */
(function () {
  "use strict";
  var t = tenure, picture = t.picture, view = picture.view, regions = picture.regions;
  var WIDEST = 12000000, ENLARGED = 4096;

  /* Scrolling, dragging, keys. */
  function listen(self) {
    var s = self.scroller, drag = null;
    s.addEventListener("scroll", function () {
      regions.forEach(function (r) { if (r !== self && r.scroller.scrollLeft !== s.scrollLeft) r.scroller.scrollLeft = s.scrollLeft; });
      schedule();
    }, { passive: true });
    s.addEventListener("wheel", function (event) {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 300), event.shiftKey ? 1 : 0, event.clientX - s.getBoundingClientRect().left);
    }, { passive: false });
    s.addEventListener("pointerdown", function (event) {
      if (event.pointerType === "mouse" && event.button === 0 && event.target.closest("svg"))
        drag = { x: event.clientX, y: event.clientY, left: s.scrollLeft, top: s.scrollTop, moved: false };
    });
    s.addEventListener("pointermove", function (event) {
      if (!drag) {
        var over = event.target.closest("[data-box]") ? null : self.at(event);
        s.title = over === null ? "" : picture.describe(over);
        return;
      }
      if (Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) > 4) drag.moved = true;
      if (!drag.moved) return;
      s.classList.add("dragging");
      s.scrollLeft = drag.left + drag.x - event.clientX;
      s.scrollTop = drag.top + drag.y - event.clientY;
    });
    ["pointerup", "pointerleave", "pointercancel"].forEach(function (name) {
      s.addEventListener(name, function () {
        s.classList.remove("dragging");
        if (drag && drag.moved) setTimeout(function () { drag = null; });
        else drag = null;
      });
    });
    s.addEventListener("dragstart", function (event) { event.preventDefault(); });
    s.addEventListener("click", function (event) {
      event.preventDefault();
      if (drag && drag.moved) return;
      var box = event.target.closest("[data-box]");
      var i = box ? Number(box.dataset.box) : self.at(event);
      if (i !== null) choose(i);
    });
    s.addEventListener("keydown", function (event) {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (/^Arrow/.test(event.key) && !event.shiftKey) {
        var next = self.neighbour(event.key);
        if (next !== null) {
          choose(next);
          self.reveal(next);
        }
      } else if (event.key === "+" || event.key === "=") zoom(1.5, event.shiftKey && event.key === "=" ? 1 : 0);
      else if (event.key === "-") zoom(1 / 1.5, 0);
      else if ((event.key === "p" || event.key === "P") && t.peak >= 0) goTo(2 * t.peak + 1);
      else if (event.key === "Home") s.scrollLeft = 0;
      else if (event.key === "End") s.scrollLeft = s.scrollWidth;
      else if (event.key === "0") fit();
      else return;
      event.preventDefault();
    });
  }

  var waiting = false;
  function schedule() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () {
      waiting = false;
      drawAll();
    });
  }

  /* Not before the page is complete: what is measured then is laid out once. */
  var begun = false;
  function drawAll() {
    if (!begun) return;
    regions.forEach(function (r) { r.draw(); });
    overview.draw();
  }

  function each(fn) { regions.forEach(function (r) { if (!r.node.hidden) fn(r); }); }

  /* Of the regions that have something to show: those are as wide as each other. */
  function room() {
    var wide = 0;
    each(function (r) { wide = wide || r.room || r.scroller.clientWidth; });
    return wide;
  }

  function fitting() { return Math.max(room(), 100) / t.steps; }

  function scale(kx, zoomY, center) {
    each(function (r) {
      var at = (r.scroller.scrollLeft + center) / view.kx, up = r.scroller.scrollTop / view.zoomY;
      r.want = { left: at * kx - center, top: up * zoomY + picture.plot / 2 * (zoomY / view.zoomY - 1) };
    });
    view.kx = kx;
    view.zoomY = zoomY;
    each(function (r) {
      r.resize();
      r.scroller.scrollLeft = r.want.left;
      r.scroller.scrollTop = zoomY === 1 ? 0 : r.want.top;
    });
    overview.resize();
    view.zooming = true;
    drawAll();
    view.zooming = false;
  }

  function zoom(by, across, center) {
    var kx = across ? view.kx : Math.min(Math.max(view.kx * by, fitting()), Math.max(WIDEST / t.steps, fitting()));
    var zoomY = across ? Math.min(Math.max(view.zoomY * by, 1), ENLARGED) : view.zoomY;
    scale(kx, zoomY, center === undefined ? room() / 2 : center);
  }

  function fit() { scale(fitting(), 1, 0); }

  /* Where one starts: all of it, unless that would be too fine to see. */
  function start() {
    begun = true;
    regions.forEach(function (r) { r.measure(); });
    picture.axes();
    if (!view.plan.boxes.n) return;
    view.kx = fitting();
    regions.forEach(function (r) { r.resize(); });
    view.kx = Math.max(view.kx, 5);
    regions.forEach(function (r) { r.resize(); });
    overview.resize();
    if (view.kx * t.steps > room() * 1.01 && t.peak >= 0) goTo(2 * t.peak + 1);
    else drawAll();
  }

  function goTo(step) {
    each(function (r) { r.scroller.scrollLeft = step * view.kx - r.room / 2; });
    drawAll();
  }

  function choose(i) {
    view.chosen = i;
    view.listeners.forEach(function (fn) { fn(i); });
    drawAll();
  }

  function setPlan(plan) {
    view.plan = plan;
    view.chosen = null;
    picture.index(plan);
    regions.forEach(function (r) { r.measure(); });
    picture.axes();
    scale(view.kx, view.zoomY, 0);
    view.listeners.forEach(function (fn) { fn(null); });
  }

  function setStep(step, quiet) {
    view.step = step;
    document.getElementById("timelines").classList.toggle("stepping", !quiet);
    drawAll();
  }

  /* Live bytes over all ops in a strip, and which part of them is in sight: only where
     the picture is wider than its window. */
  var overview = (function () {
    var node = document.getElementById("overview"), svg = t.shape(node, "svg", "tl-svg", { height: 48, "aria-hidden": "true" });
    var area = t.shape(svg, "path", "ov-live", {}), peak = t.shape(svg, "line", "tl-mark tl-peak", { y1: 0, y2: 48 });
    var part = t.shape(svg, "rect", "ov-part", { y: 1, height: 46 }), width = 0, down = false;

    function profile() {
      var n = t.ops.length, most = 1, d = "M0 48";
      t.ops.forEach(function (op) { most = Math.max(most, op.live); });
      for (var x = 0; x < width; x++) {
        var a = Math.floor(x * n / width), b = Math.max(a + 1, Math.floor((x + 1) * n / width)), high = 0;
        for (var p = a; p < b; p++) high = Math.max(high, t.ops[p].live);
        d += "V" + (48 - 44 * high / most).toFixed(1) + "H" + (x + 1);
      }
      area.setAttribute("d", d + "V48Z");
      peak.setAttribute("x1", (2 * t.peak + 1) / t.steps * width);
      peak.setAttribute("x2", (2 * t.peak + 1) / t.steps * width);
    }

    function jump(event) {
      goTo((event.clientX - svg.getBoundingClientRect().left) / width * t.steps);
    }
    node.addEventListener("pointerdown", function (event) { down = true; node.setPointerCapture(event.pointerId); jump(event); });
    node.addEventListener("pointermove", function (event) { if (down) jump(event); });
    node.addEventListener("pointerup", function () { down = false; });

    return {
      resize: function () {
        var r = regions.filter(function (x) { return !x.node.hidden; })[0];
        node.hidden = !r || t.steps * view.kx <= r.room * 1.01 || !t.ops.length;
        if (node.hidden || width === node.clientWidth) return;
        width = node.clientWidth;
        svg.setAttribute("width", width);
        profile();
      },
      draw: function () {
        if (node.hidden || !width) return;
        var r = regions.filter(function (x) { return !x.node.hidden; })[0];
        part.setAttribute("x", r.left / view.kx / t.steps * width);
        part.setAttribute("width", Math.max(r.room / view.kx / t.steps * width, 2));
      }
    };
  })();

  var parent = document.getElementById("timelines");
  document.getElementById("static").remove();
  picture.index(view.plan);
  t.regions.forEach(function (unused, i) {
    regions.push(new picture.Region(i, parent));
    listen(regions[i]);
  });
  window.addEventListener("resize", function () {
    var whole = view.kx * t.steps <= room() * 1.01;
    regions.forEach(function (r) { r.resize(); });
    if (whole || view.kx < fitting()) scale(fitting(), view.zoomY, 0);
    else {
      overview.resize();
      drawAll();
    }
  });

  /* On paper nothing scrolls: all of it, drawn for one width and scaled to the page's. */
  var PAPER = 630, before = null;
  function paper(on) {
    var axis = picture.axisWidth();
    if (on === (before !== null) || !begun) return;
    if (on) before = { kx: view.kx, zoomY: view.zoomY, left: room() ? regions.map(function (r) { return r.scroller.scrollLeft; }) : [] };
    regions.forEach(function (r) {
      r.paper = on ? PAPER : 0;
      r.frame.classList.toggle("tl-paper", on);
      r.axis.style.width = on ? 100 * axis / (axis + PAPER) + "%" : "";
      [[r.axis, axis], [r.fixed, PAPER]].forEach(function (part) {
        if (on) part[0].setAttribute("viewBox", "0 0 " + part[1] + " " + picture.height);
        else part[0].removeAttribute("viewBox");
      });
      r.resize();
    });
    if (on) scale(fitting(), 1, 0);
    else {
      scale(before.kx, before.zoomY, 0);
      before.left.forEach(function (left, i) { regions[i].scroller.scrollLeft = left; });
      before = null;
      drawAll();
    }
  }
  window.addEventListener("beforeprint", function () { paper(true); });
  window.addEventListener("afterprint", function () { paper(false); });

  t.timeline = {
    view: view, start: start, zoom: zoom, fit: fit, goTo: goTo, choose: choose, setPlan: setPlan, setStep: setStep,
    reveal: function (i) { regions[view.plan.boxes.region[i]].reveal(i); drawAll(); },
    onChoice: function (fn) { view.listeners.push(fn); }
  };
})();
