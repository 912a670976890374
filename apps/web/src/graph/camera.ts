// The part of a picture that is seen: moved by dragging, by wheel and by keys. Changes only attributes while it moves, and
// asks for other nodes only when it leaves the part that is drawn.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Camera {
  /// Of the point at the upper left, and the size of a unit.
  x: number;
  y: number;
  k: number;
}

const smallest = 0.02;
const largest = 3;

/// The picture as a whole, not enlarged.
export function fitted(width: number, height: number, of: { clientWidth: number; clientHeight: number }): Camera {
  const k = Math.max(smallest, Math.min(1, of.clientWidth / Math.max(1, width), of.clientHeight / Math.max(1, height)));
  return { k, x: (width - of.clientWidth / k) / 2, y: Math.min(0, (height - of.clientHeight / k) / 2) };
}

export function seen_by(camera: Camera, of: { clientWidth: number; clientHeight: number }): Box {
  return { left: camera.x, top: camera.y, right: camera.x + of.clientWidth / camera.k, bottom: camera.y + of.clientHeight / camera.k };
}

export interface Moving {
  camera: { current: Camera };
  /// What is drawn: what is seen, and a margin of a quarter of it.
  drawn: Box;
  /// Changes with the size of a unit.
  zoom: number;
  show: (camera: Camera) => void;
  zoom_by: (factor: number, at?: { x: number; y: number }) => void;
  center: (x: number, y: number) => void;
}

const nowhere: Box = { left: 0, top: 0, right: 0, bottom: 0 };

/// `paint` is called in the next frame after each move.
export function useCamera(holder: { current: HTMLElement | null }, paint: (camera: Camera) => void): Moving {
  const camera = useRef<Camera>({ x: 0, y: 0, k: 1 });
  const [drawn, set_drawn] = useState<Box>(nowhere);
  const [zoom, set_zoom] = useState(1);
  const inside = useRef<Box>(nowhere);
  const frame = useRef(0);
  const painting = useRef(paint);
  painting.current = paint;
  const show = useCallback((next: Camera): void => {
    const box = holder.current;
    if (!box) return;
    const zoomed = next.k !== camera.current.k;
    camera.current = next;
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => painting.current(camera.current));
    const seen = seen_by(next, box);
    const has = inside.current;
    if (zoomed) set_zoom(next.k);
    if (!zoomed && seen.left >= has.left && seen.right <= has.right && seen.top >= has.top && seen.bottom <= has.bottom) return;
    const aside = (seen.right - seen.left) / 4;
    const above = (seen.bottom - seen.top) / 4;
    inside.current = { left: seen.left - aside, right: seen.right + aside, top: seen.top - above, bottom: seen.bottom + above };
    set_drawn(inside.current);
  }, []);
  const zoom_by = useCallback((factor: number, at?: { x: number; y: number }): void => {
    const box = holder.current;
    if (!box) return;
    const { x, y, k } = camera.current;
    const next = Math.max(smallest, Math.min(largest, k * factor));
    const [px, py] = at ? [at.x, at.y] : [box.clientWidth / 2, box.clientHeight / 2];
    show({ k: next, x: x + px / k - px / next, y: y + py / k - py / next });
  }, []);
  const center = useCallback((x: number, y: number): void => {
    const box = holder.current;
    if (!box) return;
    const { k } = camera.current;
    show({ k, x: x - box.clientWidth / k / 2, y: y - box.clientHeight / k / 2 });
  }, []);
  useEffect(() => {
    const box = holder.current;
    if (!box) return;
    let from: { x: number; y: number; camera: Camera } | null = null;
    const down = (event: PointerEvent): void => {
      if (event.button !== 0 || (event.target as Element).closest("[role=button], .minimap")) return;
      from = { x: event.clientX, y: event.clientY, camera: camera.current };
      box.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent): void => {
      if (!from) return;
      show({ k: from.camera.k, x: from.camera.x - (event.clientX - from.x) / from.camera.k, y: from.camera.y - (event.clientY - from.y) / from.camera.k });
    };
    const up = (): void => { from = null; };
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) {
        const place = box.getBoundingClientRect();
        return zoom_by(Math.exp(-event.deltaY / 200), { x: event.clientX - place.left, y: event.clientY - place.top });
      }
      const { x, y, k } = camera.current;
      show({ k, x: x + event.deltaX / k, y: y + event.deltaY / k });
    };
    box.addEventListener("pointerdown", down);
    box.addEventListener("pointermove", move);
    box.addEventListener("pointerup", up);
    box.addEventListener("pointercancel", up);
    box.addEventListener("wheel", wheel, { passive: false });
    return () => {
      cancelAnimationFrame(frame.current);
      box.removeEventListener("pointerdown", down);
      box.removeEventListener("pointermove", move);
      box.removeEventListener("pointerup", up);
      box.removeEventListener("pointercancel", up);
      box.removeEventListener("wheel", wheel);
    };
  }, []);
  return { camera, drawn, zoom, show, zoom_by, center };
}
