import { slice } from '../platform/slice.ts';
import { mcp, type ToolsPorts } from './routes.ts';

export const tools = slice({ open: (ports: ToolsPorts) => ({ routes: (http) => mcp(http, ports) }) });
