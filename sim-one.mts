const [seed, events, filter, part='orders'] = process.argv.slice(2);
const { simulations } = await import(process.cwd() + '/test/simulation/parts.ts');
const r = await simulations[part]({ seed: Number(seed), events: Number(events), inWords: true });
const re = new RegExp(filter);
for (const line of r.lines) { const t = typeof line === 'string' ? line : JSON.stringify(line); if (re.test(t) || /ledger is/.test(t)) console.log(t.slice(0, 400)); }
console.log(r.violations);
