import { transformSync } from 'esbuild';

/** A jest transform for the dashboard, because Node cannot run JSX and `import.meta.glob`. */
export default {
  process: (source, path) =>
    transformSync(source, {
      sourcefile: path,
      sourcemap: 'inline',
      loader: path.endsWith('x') ? 'tsx' : 'ts',
      jsx: 'automatic',
      format: 'esm',
      target: 'esnext',
      define: { 'import.meta.glob': 'importGlob' },
    }),
};
