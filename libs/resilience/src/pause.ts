/** A loop can wait here, and other code can end the pause. */
export class Pause {
  #woken = false;
  #end: () => void = () => undefined;

  wake(): void {
    this.#woken = true;
    this.#end();
  }

  /** After this, earlier calls of `wake` do not end the next pause. */
  reset(): void {
    this.#woken = false;
  }

  /** Resolves at once if `wake` was called since the last `reset`. */
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
