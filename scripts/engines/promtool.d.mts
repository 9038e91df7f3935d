export const TOOLS: string;
export function promtool(): string;
