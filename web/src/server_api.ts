// Asks the server that this page comes from. A token, where one is needed, stays in this tab.
import type {Side} from "./data";

export interface Stats {
    version: string;
    documents: number;
    text_bytes: number;
    file_bytes: number;
    threshold: number;
    has_texts: boolean;
}

export interface FoundPassage {
    a: Side;
    b: Side;
    tokens: number;
    kinds: string[];
}

export interface Match {
    id: string;
    similarity: number;
    containment_a: number;
    containment_b: number;
    estimate: number | null;
    passages: FoundPassage[] | null;
    metadata: Record<string, unknown> | null;
}

export interface Comparison {
    pairs: (Omit<Match, "id" | "metadata"> & {a: string; b: string})[];
}

export class Refusal extends Error {
    constructor(
        readonly status: number,
        message: string,
    ) {
        super(message);
    }
}

const TOKEN = "twinset-token";
export const setToken = (token: string) => sessionStorage.setItem(TOKEN, token);
/** Whether a token is sent with each question: one that is refused then was wrong. */
export const hasToken = () => !!sessionStorage.getItem(TOKEN);
const isSendable = (token: string) => /^[\x21-\x7e]+$/.test(token);

async function ask<T>(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
): Promise<T> {
    const headers: Record<string, string> = {};
    const token = sessionStorage.getItem(TOKEN);
    if (token && !isSendable(token)) throw new Refusal(401, "");
    if (token) headers["Authorization"] = `Bearer ${token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const answer = await fetch(path, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        ...(signal ? {signal} : {}),
    });
    const value = (await answer.json()) as T & {error?: string};
    if (!answer.ok) throw new Refusal(answer.status, value.error ?? answer.statusText);
    return value;
}

export const stats = () => ask<Stats>("GET", "/v1/stats");
export const query = (text: string, threshold: number, signal: AbortSignal) =>
    ask<{matches: Match[]}>("POST", "/v1/query", {text, threshold}, signal);
export const textOf = async (id: string) =>
    (await ask<{text: string | null}>("GET", `/v1/documents/${encodeURIComponent(id)}`)).text;
export const compare = (a: string, b: string) =>
    ask<Comparison>("POST", "/v1/compare", {a: {text: a}, b: {text: b}});
