export { inspectorThread } from './inspector-thread.ts';
export { INSPECTOR } from './settings.ts';
