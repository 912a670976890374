import { render } from "preact";
import { useEffect, useState } from "preact/hooks";

import { Refusal } from "./api";
import { get, post } from "./client";
import { usePlace } from "./hooks";
import { Keys } from "./parts/keys";
import { Notifier } from "./parts/notify";
import { shared } from "./shared";
import "./style/page.css";
import "./style/views.css";
import { CompareView } from "./views/compare";
import { MachineView } from "./views/machine";
import { MemoryView } from "./views/memory";
import { ArtifactsView, OpenedView } from "./views/opened";
import { ReproductionView } from "./views/reproduction";
import { RunView } from "./views/run";
import { SignIn } from "./views/sign_in";
import { Studies } from "./views/studies";
import { StudyView } from "./views/study";
import { when } from "./words";

interface Session {
  version: string;
  home: string;
  read_only: boolean;
}

const themes = ["auto", "light", "dark"] as const;

function Theme() {
  const [theme, set_theme] = useState(localStorage.getItem("theme") ?? "auto");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("theme", theme);
  }, [theme]);
  return (
    <label class="theme"><span class="word">Colours </span><select value={theme} onChange={(e) => set_theme(e.currentTarget.value)}>
      {themes.map((name) => <option key={name}>{name}</option>)}
    </select></label>
  );
}

function View({ session }: { session: Session }) {
  const [what, id, tab, item] = usePlace();
  useEffect(() => {
    document.title = `${id ?? what ?? "studies"} · etude`;
  }, [what, id]);
  if (shared && what !== "runs" && (what !== "studies" || id !== shared.study)) return <StudyView id={shared.study} tab="overview" item={null} read_only />;
  if (what === "studies" && id) return <StudyView key={id} id={id} tab={tab ?? "overview"} item={item ?? null} read_only={session.read_only} />;
  if (what === "runs" && id) return <RunView key={id} id={id} stream={tab ?? null} />;
  if (what === "compare" && id && tab) return <CompareView key={`${id} ${tab}`} first={id} second={tab} />;
  if (what === "reproductions" && id) return <ReproductionView key={`${id} ${tab ?? ""}`} ids={tab ? [id, tab] : [id]} />;
  if (what === "memory") {
    const words = id ?? new URLSearchParams(location.hash.split("?")[1] ?? "").get("q") ?? "";
    return <MemoryView key={words} words={words} />;
  }
  if (what === "artifacts") return id ? <OpenedView key={id} name={id} read_only={session.read_only} /> : <ArtifactsView />;
  if (what === "machine") return <MachineView />;
  if (what === undefined || what === "studies" || what.startsWith("code=")) return <Studies read_only={session.read_only} />;
  return <><div class="head"><h1>No such view</h1></div><p class="empty" role="alert">The page has no view <code>#/{[what, id, tab, item].filter(Boolean).join("/")}</code>. <a href="#/">All studies</a></p></>;
}

/// The code of a link, which is used once.
let code: string | undefined;

/// Removes the code from the address. Called before anything is shown: the address may have changed by the first effect.
function take_code(): boolean {
  code = location.hash.match(/^#code=([0-9a-f]+)$/)?.[1];
  if (code) history.replaceState(null, "", "/");
  return code !== undefined;
}
take_code();

async function enter(): Promise<Session> {
  const once = code;
  code = undefined;
  return once ? post("/session", {}, { code: once }) : get("/session");
}

function App() {
  const [session, set_session] = useState<Session | null>(null);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const come_in = (): void => {
    enter().then(
      (found) => { set_session(found); set_refusal(null); },
      (error: unknown) => { if (error instanceof Refusal) set_refusal(error); },
    );
  };
  useEffect(come_in, []);
  useEffect(() => {
    // A link that is opened where the page is open does not load it anew.
    const linked = (): void => {
      if (take_code()) come_in();
    };
    addEventListener("hashchange", linked);
    return () => removeEventListener("hashchange", linked);
  }, []);
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to the content</a>
      <header class="top">
        <a class="name" href="#/">etude</a>
        {session && !shared && <nav aria-label="Views"><a href="#/">Studies</a> <a href="#/memory">Memory</a> <a href="#/artifacts">Artifacts</a> <a href="#/machine">Machine</a></nav>}
        {session && <span class="muted home">{shared ? `A copy of study ${shared.study}` : session.home}{session.read_only && " · read only"}</span>}
        <Theme />
      </header>
      {session && !shared && <Notifier />}
      <main id="main" tabIndex={-1}>
        {shared && (
          <p class="muted" role="note">
            This is a copy of {when(shared.made)}, by etude {shared.version}. It does not change, and nothing can be started or approved in it.
            {" "}Left out: {[...shared.left_out, "earlier states", "other studies"].join("; ")}.
          </p>
        )}
        {session ? <View session={session} /> : refusal ? <SignIn refusal={refusal.status === 401 ? null : refusal} done={come_in} /> : <p class="muted">…</p>}
      </main>
      <Keys />
    </>
  );
}

render(<App />, document.getElementById("page")!);
