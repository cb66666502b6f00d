export function isAlive(pid: number): boolean {
  // 0 and negative numbers stand for process groups.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    // Signal 0 only checks; it is never delivered.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
