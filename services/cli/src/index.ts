export async function runClient(_argv: readonly string[], _environment: NodeJS.ProcessEnv): Promise<number> {
  return 2;
}
