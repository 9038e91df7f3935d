import { TestEnvironment } from 'jest-environment-jsdom';

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    const { AbortController, AbortSignal, Blob, Headers, Response, TextDecoder, TextEncoder } = globalThis;
    Object.assign(this.global, { AbortController, AbortSignal, Blob, Headers, Response, TextDecoder, TextEncoder });
    this.global.importGlob = () => ({});
    // The API client waits a random time before a retry. With 0 the tests do not wait.
    this.global.Math.random = () => 0;
    const { HTMLAnchorElement, HTMLDialogElement, HTMLUnknownElement } = this.global;
    // jsdom does not know the element `search`, and React would warn of it.
    Object.defineProperty(HTMLUnknownElement.prototype, Symbol.toStringTag, { value: 'HTMLElement' });
    HTMLAnchorElement.prototype.click = () => undefined;
    HTMLDialogElement.prototype.showModal = function () {
      this.open = true;
    };
    this.global.HTMLElement.prototype.showPopover = () => undefined;
    HTMLDialogElement.prototype.close = function () {
      this.open = false;
    };
  }
}
