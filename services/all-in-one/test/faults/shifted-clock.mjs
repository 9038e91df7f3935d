// Loaded before a process under test: its `Date` is off by the hours in CLOCK_FILE, if that exists at its start. CLOCK_OF
// names the processes, by a part of their script's path; '' is all.
import fs from 'node:fs';

const { CLOCK_FILE: file, CLOCK_OF: processes = '' } = process.env;
if (file !== undefined && fs.existsSync(file) && (process.argv[1] ?? '').includes(processes)) {
  const offMs = Number(fs.readFileSync(file, 'utf8')) * 3_600_000;
  const Real = globalThis.Date;
  globalThis.Date = class Shifted extends Real {
    constructor(...given) {
      if (given.length === 0) super(Real.now() + offMs);
      else super(...given);
    }
    static now() {
      return Real.now() + offMs;
    }
  };
}
