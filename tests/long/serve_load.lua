-- What wrk sends to the server: nine questions, then a document to add.
local thread_count = 0
local sent = 0
local words = {}

function setup(thread)
    thread:set("number", thread_count)
    thread_count = thread_count + 1
end

function init()
    math.randomseed(number + 1)
    for i = 1, 3000 do
        local letters = {}
        for at = 1, 7 do letters[at] = string.char(97 + math.random(0, 25)) end
        words[i] = table.concat(letters)
    end
end

local function text()
    local chosen = {}
    for i = 1, 120 do chosen[i] = words[math.random(#words)] end
    return table.concat(chosen, " ")
end

function request()
    sent = sent + 1
    local headers = {["Content-Type"] = "application/json"}
    if sent % 10 == 0 then
        local body = string.format('{"documents": [{"id": "%d-%d-%d", "text": "%s"}]}', run,
            number, sent, text())
        return wrk.format("POST", "/v1/documents", headers, body)
    end
    return wrk.format("POST", "/v1/query", headers, string.format('{"text": "%s"}', text()))
end

run = os.time()
number = 0 -- of the thread; setup() says which
