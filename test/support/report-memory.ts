// Loaded before a command: prints its peak memory as the last line on standard error.
process.on('exit', () => {
  process.stderr.write(`max rss ${process.resourceUsage().maxRSS} KiB\n`);
});
