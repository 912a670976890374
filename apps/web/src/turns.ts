// Requests that are repeated when something changes.

const patience_ms = 5000; // After this time another request is made, though the last one has no answer.
const longest_rest_ms = 2000; // Where a machine has slept, the answer took hours.

/// One after another: while one is asked, further ones count as one, the last, which follows after as long as the answer took.
/// So a slow server is asked less often, and its answers are shown though events follow one another.
export class Turns {
  #turn = 0;
  #begun = 0;
  #asking = false;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #next: ((mine: () => boolean) => Promise<void>) | undefined;

  /// `work` gets a function that is true as long as its answer is wanted. `now`: it does not wait for the rest to end.
  run(work: (mine: () => boolean) => Promise<void>, now = false): void {
    if ((this.#asking && performance.now() - this.#begun < patience_ms) || (this.#resting !== undefined && !now)) {
      this.#next = work;
      return;
    }
    clearTimeout(this.#resting);
    this.#resting = undefined;
    const turn = ++this.#turn;
    const mine = (): boolean => turn === this.#turn;
    this.#begun = performance.now();
    this.#asking = true;
    void work(mine).finally(() => {
      if (!mine()) return;
      this.#asking = false;
      this.#resting = setTimeout(() => {
        this.#resting = undefined;
        const next = this.#next;
        this.#next = undefined;
        if (next) this.run(next);
      }, Math.min(performance.now() - this.#begun, longest_rest_ms));
    });
  }

  get asking(): boolean {
    return this.#asking;
  }

  /// No answer is wanted any more.
  end(): void {
    clearTimeout(this.#resting);
    ++this.#turn;
    this.#asking = false;
    this.#resting = this.#next = undefined;
  }
}
