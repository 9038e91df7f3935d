export function Progress({ done, total, label }: { done: number; total: number; label: string }) {
  return (
    <div className="progress">
      <progress value={done} max={Math.max(1, total)} aria-label={label} />
      <span className="num">{label}</span>
    </div>
  );
}
