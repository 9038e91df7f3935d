export class Stack {
  readonly #steps: (() => Promise<void> | void)[] = [];

  push(stop: () => Promise<void> | void): void {
    this.#steps.push(stop);
  }

  /** Calls every function, also after a failure. Throws the first failure at the end. */
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
