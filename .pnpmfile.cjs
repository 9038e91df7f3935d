/** What the API reference takes from its package is one file with everything in it: its 270 dependencies stay out. */
const readPackage = (manifest) =>
  manifest.name === '@scalar/api-reference' ? { ...manifest, dependencies: {} } : manifest;

module.exports = { hooks: { readPackage } };
