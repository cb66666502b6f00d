/** The named variables of the environment; throws with all that are missing, once. */
export function readEnvironment<const Name extends string>(
  names: readonly Name[],
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<Name, string>> {
  const missing = names.filter((name) => !environment[name]);
  if (missing.length > 0) {
    throw new Error(`not set in the function's environment: ${missing.join(', ')}`);
  }
  return Object.fromEntries(names.map((name) => [name, environment[name]])) as Record<Name, string>;
}
