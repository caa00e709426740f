# A bank of accounts: classes, properties, inheritance, super().
class Account:
    count = 0
    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = balance
        self.log = []
        Account.count += 1
    @property
    def balance(self):
        return self._balance
    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount")
        self._balance += amount
        self.log.append(("in", amount))
    def withdraw(self, amount):
        if amount > self.balance:
            return False
        self._balance -= amount
        self.log.append(("out", amount))
        return True
class Saving(Account):
    def __init__(self, owner, balance=0, rate=0.01):
        super().__init__(owner, balance)
        self.rate = rate
    def step(self):
        self.deposit(int(self.balance * self.rate) + 1)
    def __repr__(self):
        return f"Saving({self.owner!r}, {self.balance})"
class Bank:
    def __init__(self): self.accounts = {}
    def open(self, name, kind=Account, **more):
        self.accounts[name] = kind(name, 100, **more)
    def transfer(self, a, b, amount):
        if self.accounts[a].withdraw(amount):
            self.accounts[b].deposit(amount)
            return True
        return False
    def __getitem__(self, name): return self.accounts[name]
    def __len__(self): return len(self.accounts)
bank = Bank()
for i in range(100):
    if i % 2: bank.open(f"p{i}")
    else: bank.open(f"p{i}", Saving, rate=0.02)
ok = 0
for i in range(60000):
    if bank.transfer(f"p{i % 100}", f"p{i * 7 % 100}", i % 13 + 1): ok += 1
    acc = bank[f"p{i % 50 * 2}"]
    if isinstance(acc, Saving) and i % 5 == 0: acc.step()
    if len(acc.log) > 50: acc.log.clear()
print(ok, bank["p4"], Account.count, len(bank))
