// Loaded before a command: tells, as its last line on standard error, the most memory it ever held.
process.on('exit', () => {
  process.stderr.write(`max rss ${process.resourceUsage().maxRSS} KiB\n`);
});
