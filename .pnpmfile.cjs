const changes = {
  /** What the API reference takes from its package is one file with everything in it: its 270 dependencies stay out. */
  '@scalar/api-reference': { dependencies: {} },
  /** The optional peers of vite would install esbuild beside what `npm start` runs. */
  vite: { peerDependencies: {}, peerDependenciesMeta: {} },
};
const readPackage = (manifest) => ({ ...manifest, ...changes[manifest.name] });

module.exports = { hooks: { readPackage } };
