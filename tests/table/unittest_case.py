"""A test case whose tests end in every way, and what unittest prints of it."""
import io
import unittest


class A(unittest.TestCase):
    def setUp(self): self.x=1
    def test_ok(self): self.assertEqual(self.x,1)
    def test_fail(self): self.assertEqual(self.x,2)
    def test_err(self):
        """Doc line.

        more"""
        1/0
    @unittest.skip("why")
    def test_skip(self): pass
    @unittest.expectedFailure
    def test_xf(self): self.fail()
    @unittest.expectedFailure
    def test_xs(self): pass
    def test_list(self): self.assertEqual([1,2,3],[1,2,4])
    def test_dict(self): self.assertEqual({1:2},{1:3},'msg')
    def test_str(self): self.assertEqual('a\nb','a\nc')
    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i): self.assertTrue(i==1)
    def test_raises(self):
        with self.assertRaises(ValueError) as c: int('x')
        self.assertIn('invalid', str(c.exception))
        with self.assertRaises(ValueError): pass
    def test_set(self): self.assertEqual({1,2},{2,3})
    def test_tup(self): self.assertTupleEqual((1,2),(1,))
    def test_alm(self): self.assertAlmostEqual(1.0,1.1)
    def test_in(self): self.assertIn(1,[2])
    def test_cnt(self): self.assertCountEqual([1,2,2],[2,1,3])
    def test_re(self): self.assertRaisesRegex(ValueError,'zz',int,'x')
    def test_is(self): self.assertIsNone(3)
    def test_gt(self): self.assertGreater(1,3)
    def test_inst(self): self.assertIsInstance(1,str)
    def test_sk2(self): self.skipTest('later')
class B(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise RuntimeError('no')
    def test_z(self): pass


def rows(verbosity):
    stream = io.StringIO()
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(A)
    suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(B))
    result = unittest.TextTestRunner(stream, verbosity=verbosity).run(suite)
    for line in stream.getvalue().splitlines():
        print(line.split(" in ")[0] if line.startswith("Ran") else line)
    print(result, result.wasSuccessful(), len(result.failures))
