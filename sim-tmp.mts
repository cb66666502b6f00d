const [first, last, events, part='orders'] = process.argv.slice(2);
const { simulations } = await import(process.cwd() + '/test/simulation/parts.ts');
let broken = 0; const counts = new Map();
for (let seed = Number(first); seed <= Number(last); seed += 1) {
  const { violations, counts: c } = await simulations[part]({ seed, events: Number(events) });
  for (const [k,v] of c.played) if (/ledger|person/.test(k)) counts.set(k,(counts.get(k)??0)+v);
  if (violations.length) { broken += 1; console.log(seed, violations.slice(0,3).map(v => `${v.oracle}: ${v.what}`).join(' | ')); }
}
console.log('broken', broken, [...counts]);
