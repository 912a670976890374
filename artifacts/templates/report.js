// Shows the values of a picture to readers who point at it, touch it, or go through it with the arrow keys. The page is
// complete without this script: each picture is followed by a table of its values.
"use strict";
for (const plot of document.querySelectorAll(".plot")) {
  const picture = plot.querySelector("img");
  const [width, height, values] = JSON.parse(plot.querySelector("script").textContent);
  if (!picture || values.length === 0) continue;
  const ring = document.createElement("span"), words = document.createElement("span");
  ring.className = "ring";
  words.className = "words";
  words.setAttribute("role", "status");
  ring.hidden = words.hidden = true;
  plot.append(ring, words);
  plot.tabIndex = 0;
  plot.setAttribute("role", "group");
  plot.setAttribute("aria-label", "Values of this picture: use the arrow keys");
  let shown = -1;

  const hide = () => {
    ring.hidden = words.hidden = true;
    shown = -1;
  };
  // Without padding and border, in pixels of the page.
  const frame = () => {
    const outer = plot.getBoundingClientRect(), inner = picture.getBoundingClientRect();
    const style = getComputedStyle(picture), px = (name) => parseFloat(style[name]) || 0;
    const left = px("paddingLeft") + px("borderLeftWidth"), top = px("paddingTop") + px("borderTopWidth");
    return {
      left: inner.left - outer.left + left,
      top: inner.top - outer.top + top,
      scale: (inner.width - left - px("paddingRight") - px("borderRightWidth")) / width,
    };
  };
  const show = (index) => {
    shown = index;
    const [x, y, text] = values[index], { left, top, scale } = frame();
    ring.hidden = words.hidden = false;
    ring.style.left = `${left + x * scale}px`;
    ring.style.top = `${top + y * scale}px`;
    words.textContent = text;
    const room = plot.clientWidth - words.offsetWidth - 4;
    words.style.left = `${Math.max(4, Math.min(room, left + x * scale - words.offsetWidth / 2))}px`;
    const above = top + y * scale - words.offsetHeight - 12;
    words.style.top = `${above > 0 ? above : top + y * scale + 12}px`;
  };
  const point = (event) => {
    const box = plot.getBoundingClientRect(), { left, top, scale } = frame();
    const x = (event.clientX - box.left - left) / scale, y = (event.clientY - box.top - top) / scale;
    let nearest = -1, least = (20 / scale) ** 2;
    values.forEach(([vx, vy], i) => {
      const distance = (vx - x) ** 2 + (vy - y) ** 2;
      if (distance < least) [nearest, least] = [i, distance];
    });
    if (nearest < 0) hide();
    else if (nearest !== shown) show(nearest);
  };
  plot.addEventListener("pointermove", point);
  plot.addEventListener("pointerdown", point);
  plot.addEventListener("pointerleave", hide);
  plot.addEventListener("blur", hide);
  // From left to right, then from top to bottom.
  const order = values.map((_, i) => i).sort((a, b) => values[a][0] - values[b][0] || values[a][1] - values[b][1]);
  plot.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") hide();
    if (!by) return;
    event.preventDefault();
    const at = shown < 0 ? (by > 0 ? -1 : 0) : order.indexOf(shown);
    show(order[(at + by + order.length) % order.length]);
  });
}
