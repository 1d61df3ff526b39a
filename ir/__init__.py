"""What a captured program is: the graph and what its values are known to be, the signature, the
operators' records, the laws that the verifier holds, passes and decompositions, text, and archives.
Imports `npexport.symshapes` alone; it runs nothing: kernels are named as text, and found in
`npexport.runtime` on first use.
"""
