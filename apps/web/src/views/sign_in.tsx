import { useState } from "preact/hooks";

import { Refusal } from "../api";
import { post } from "../client";
import { Refused } from "../parts/bits";

/// Shown without a session; a link or the home's token opens one.
export function SignIn({ refusal, done }: { refusal: Refusal | null; done: () => void }) {
  const [word, set_word] = useState("");
  const [refused, set_refused] = useState(refusal);
  const enter = async (): Promise<void> => {
    const code = word.split("#code=")[1];
    try {
      await post("/session", {}, code ? { code } : { token: word.trim() });
      done();
    } catch (error) {
      if (error instanceof Refusal) set_refused(error);
    }
  };
  return (
    <form class="panel sign-in" onSubmit={(e) => { e.preventDefault(); void enter(); }}>
      <h1>Sign in</h1>
      <p>Run <code>etude serve --link</code> where the kernel runs, and open the link that it prints, or paste it here. Or paste the content of the file <code>token</code> in the home.</p>
      <label class="field">Link or token<input type="password" autocomplete="off" required value={word} onInput={(e) => set_word(e.currentTarget.value)} /></label>
      <Refused refusal={refused} />
      <button class="primary">Sign in</button>
    </form>
  );
}
