/** Whether a process with that id runs. */
export function isAlive(pid: number): boolean {
  // 0 and negative numbers would ask about groups of processes.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    // Signal 0 is never delivered: it only checks.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
