/** Stop functions of what was started, run in reverse order. */
export class Stack {
  readonly #steps: (() => Promise<void> | void)[] = [];

  push(stop: () => Promise<void> | void): void {
    this.#steps.push(stop);
  }

  /** Runs every step, even after a failure; throws the first failure at the end. */
  async unwind(): Promise<void> {
    const failures: unknown[] = [];
    for (const stop of this.#steps.splice(0).reverse()) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
