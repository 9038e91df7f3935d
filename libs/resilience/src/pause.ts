/** A pause in a loop that something may wake. */
export class Pause {
  #woken = false;
  #end: () => void = () => undefined;

  /** Ends the running pause, or the next one. */
  wake(): void {
    this.#woken = true;
    this.#end();
  }

  /** Only calls of `wake` from here on end the next pause. */
  reset(): void {
    this.#woken = false;
  }

  /** Returns at once if `wake` was called since the last `reset`. */
  async for(ms: number): Promise<void> {
    if (this.#woken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
