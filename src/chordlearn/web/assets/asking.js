/* Questions to the server, by addresses below the token. A refusal is an error whose message is a sentence. */

const GONE = "The server does not answer; start it anew with chordlearn serve.";

export async function ask(path, question) {
  const more = question === undefined ? {} : { method: "POST", body: question instanceof Blob ? question : JSON.stringify(question) };
  const answer = await fetch(path, more).catch(() => { throw new Error(GONE); });
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  throw new Error(told.error ?? GONE);
}

export const asked = async (path, question) => (await ask(path, question)).json();

/* News of the server, and of one job from its beginning; closing ends it. */
export function listen(job, hear) {
  const source = new EventSource(job == null ? "events" : `events?job=${job}`);
  for (const kind of ["about", "state", "news"])
    source.addEventListener(kind, (event) => hear(kind, JSON.parse(event.data)));
  source.addEventListener("open", () => hear("open"));
  source.addEventListener("error", () => hear("lost"));
  return source;
}

export async function takeAway(path, name) {
  const file = await (await ask(path)).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
