import type { Slice } from '../platform/slice.ts';
import { mcp, type ToolsPorts } from './routes.ts';

export const tools = (ports: ToolsPorts): Slice => ({ routes: (http) => mcp(http, ports) });
