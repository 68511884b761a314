-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Drives nvim-dap as a user's keys do, and prints what it shows, a line each.
local dap = require("dap")
local program, line, condition = unpack(vim.split(vim.env.TRIAL, "|", { plain = true }))
dap.adapters.tile = { type = "executable", command = vim.env.ADAPTER, args = { "-m", "cuda_tile.debug_adapter" } }
dap.configurations.python = {
  { type = "tile", request = "launch", name = "kernel", program = "${file}" },
}

local stopped, shown, ended, output = nil, false, false, ""
dap.listeners.before.event_stopped.trial = function(_, body) stopped, shown = body, false end
dap.listeners.after.scopes.trial = function() shown = true end
dap.listeners.after.event_terminated.trial = function() ended = true end
dap.listeners.after.event_output.trial = function(_, body) output = output .. body.output end

local function say(...) io.stdout:write(table.concat({ ... }, " "), "\n") end
local function wait(what, check)
  if not vim.wait(60000, check, 20) then
    say("late:", what)
    vim.cmd("cquit")
  end
end

-- Waits for a stop, until the editor shows its place.
local function at_stop(what)
  wait(what, function() return stopped and shown end)
  local line = vim.api.nvim_win_get_cursor(0)[1]
  say(what .. ":", stopped.reason, tostring(line), vim.trim(vim.api.nvim_get_current_line()))
  stopped = nil
end

local function value(text)
  local answer
  dap.session():evaluate(text, function(err, body) answer = err and tostring(err) or body.result end)
  wait(text, function() return answer end)
  say(text, "=", answer)
end

vim.cmd.edit(program)
vim.api.nvim_win_set_cursor(0, { tonumber(line), 0 })
dap.set_breakpoint(condition)
dap.continue()
at_stop("break")
value("k")
value("acc[0, 0]")
for _, step in ipairs({ "step_over", "step_back", "step_into", "step_out", "reverse_continue" }) do
  dap[step]()
  at_stop(step)
end
local widgets = require("dap.ui.widgets")
local scopes = widgets.sidebar(widgets.scopes)
scopes.open()
local names = function() return table.concat(vim.api.nvim_buf_get_lines(scopes.buf, 0, -1, false), "\n") end
wait("scopes", function() return names():find("acc") end)
say("scopes show acc:", names():match("acc[^\n]*"))
dap.clear_breakpoints()
dap.continue()
wait("end", function() return ended end)
say("output:", vim.trim(output))
vim.cmd("qall!")
