// Loaded before a process under test: its `Date` runs ahead by the hours in CLOCK_AHEAD_FILE, which is read at the start.
// CLOCK_AHEAD_IN names the processes, by a part of their script's path; '' is all.
import fs from 'node:fs';

const { CLOCK_AHEAD_FILE: file, CLOCK_AHEAD_IN: processes = '' } = process.env;
if (file !== undefined && fs.existsSync(file) && (process.argv[1] ?? '').includes(processes)) {
  const aheadMs = Number(fs.readFileSync(file, 'utf8')) * 3_600_000;
  const Real = globalThis.Date;
  globalThis.Date = class Ahead extends Real {
    constructor(...given) {
      if (given.length === 0) super(Real.now() + aheadMs);
      else super(...given);
    }
    static now() {
      return Real.now() + aheadMs;
    }
  };
}
