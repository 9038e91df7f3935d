// A process under test loads this module first. If CLOCK_FILE exists, it shifts `Date` by the hours in that file.
// CLOCK_OF selects processes by a part of the path of their script; '' means all.
import fs from 'node:fs';

const { CLOCK_FILE: file, CLOCK_OF: processes = '' } = process.env;
if (file !== undefined && fs.existsSync(file) && (process.argv[1] ?? '').includes(processes)) {
  const offMs = Number(fs.readFileSync(file, 'utf8')) * 3_600_000;
  const Real = globalThis.Date;
  globalThis.Date = class Shifted extends Real {
    constructor(...args) {
      if (args.length === 0) super(Real.now() + offMs);
      else super(...args);
    }
    static now() {
      return Real.now() + offMs;
    }
  };
}
