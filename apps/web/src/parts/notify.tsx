// Notifications of the browser when a study waits for a person. They are asked for by a button, and kept in this browser.

import { useEffect, useState } from "preact/hooks";

import { follow_gates } from "../api";
import { get } from "../client";
import { shared } from "../shared";

const key = "notify";
const changed = "etude-notify";

function wanted(): boolean {
  return "Notification" in window && Notification.permission === "granted" && localStorage.getItem(key) === "on";
}

function useWanted(): boolean {
  const [on, set_on] = useState(wanted);
  useEffect(() => {
    const look = (): void => set_on(wanted());
    addEventListener(changed, look);
    return () => removeEventListener(changed, look);
  }, []);
  return on;
}

export function NotifyButton() {
  const on = useWanted();
  const [denied, set_denied] = useState("Notification" in window && Notification.permission === "denied");
  if (shared || !("Notification" in window)) return null;
  if (denied) return <span class="muted">Notifications are blocked in this browser.</span>;
  const toggle = async (): Promise<void> => {
    const allowed = on || (await Notification.requestPermission()) === "granted";
    set_denied(!allowed && Notification.permission === "denied");
    localStorage.setItem(key, allowed && !on ? "on" : "off");
    dispatchEvent(new Event(changed));
  };
  return <button aria-pressed={on} onClick={() => void toggle()}>{on ? "Notifications are on" : "Notify me of approvals"}</button>;
}

async function tell(study: string): Promise<void> {
  const { title, gates } = await get("/studies/{id}", { id: study });
  const gate = gates.find((one) => one.decision === null);
  if (!gate) return;
  // The tag replaces a notification of the same gate, also from another window of the page.
  const shown = new Notification(`Waiting for approval: ${title}`, { body: gate.what, tag: gate.id });
  shown.onclick = () => {
    window.focus();
    location.hash = `#/studies/${study}`;
    shown.close();
  };
}

/// Follows all studies while notifications are wanted. Shows nothing.
export function Notifier() {
  const on = useWanted();
  useEffect(() => (on ? follow_gates((study) => void tell(study).catch(() => {})) : undefined), [on]);
  return null;
}
