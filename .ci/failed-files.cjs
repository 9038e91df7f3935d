/** A filter for jest: of the test files, those that failed in the run whose results, as JSON, are in FIRST_TRY. */
const { readFileSync } = require('node:fs');

module.exports = (files) => {
  const { testResults } = JSON.parse(readFileSync(process.env.FIRST_TRY, 'utf8'));
  const failed = new Set(testResults.filter(({ status }) => status === 'failed').map(({ name }) => name));
  return { filtered: files.filter((file) => failed.has(file)) };
};
