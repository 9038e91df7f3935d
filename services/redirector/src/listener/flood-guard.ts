import type { Socket } from 'node:net';
import { MAX_PIPELINED } from '@waypost/process';

/**
 * When one turn of the event loop has more requests than this, a connection may send only `MAX_PIPELINED_FULL` in a
 * row. Node cannot postpone requests that it has read, so every visitor would wait.
 */
const FULL_TURN = 200;
const MAX_PIPELINED_FULL = 8;

/** Closes a connection that pipelines more than any browser or proxy does, because all other visitors would wait. */
export class FloodGuard {
  #turnRequests = 0;
  /** Requests in a row on one connection were pipelined. */
  #lastSocket: Socket | undefined;
  #inARow = 0;
  /** The parser must stop reading this connection. Reset when the parser calls `isRefused`. */
  #refused: Socket | undefined;

  /** Counts a request. Returns true if it closed the connection. */
  isFlooding(socket: Socket): boolean {
    this.#inARow = socket === this.#lastSocket ? this.#inARow + 1 : 1;
    this.#lastSocket = socket;
    this.#turnRequests += 1;
    if (this.#inARow <= (this.#turnRequests <= FULL_TURN ? MAX_PIPELINED : MAX_PIPELINED_FULL)) return false;
    socket.destroy();
    this.#refused = socket;
    return true;
  }

  refuse(socket: Socket): void {
    this.#refused = socket;
  }

  isRefused(socket: Socket): boolean {
    const isRefused = this.#refused === socket;
    this.#refused = undefined;
    return isRefused;
  }

  endTurn(): void {
    this.#turnRequests = 0;
    this.#lastSocket = undefined;
  }
}
